"""Scripted work in the real window: the keys, clicks and drags that it takes, and the time by a model."""
