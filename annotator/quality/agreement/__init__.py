"""How far people agree who answered the same questions independently."""
