"""The Refine workspace: the queue of items, their visual input, and the editor of the current item."""
