"""The stage: displays one to six views of a scene with their annotations, and the editing tools."""
