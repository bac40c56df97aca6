"""Adapters to detectors, chat endpoints, local models and depth: heavy imports happen inside ``load()``."""
