"""Datasets to train on: reference episodes as chats, preference pairs, labelled trajectories, Minari."""
