"""Warnings: what is accepted but probably not what is meant."""
