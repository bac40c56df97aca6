"""The demo project: a small town drawn by code, seen by drones, labelled and turned into questions."""
