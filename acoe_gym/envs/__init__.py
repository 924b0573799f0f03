"""Gymnasium faces over the core: adapters that decide nothing about actions or grades."""

from __future__ import annotations
