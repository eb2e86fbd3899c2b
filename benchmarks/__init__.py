"""Commands that measure xpubsub and check it on real documents."""
