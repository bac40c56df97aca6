"""How probable it is that an answer key is wrong, from what models with images and people have answered."""
