"""The stage: one to six views of a scene with what is marked in them, and the tools that mark."""
