"""Model work in the project file: the queue, what was asked, what came back.

These tables are no projections. They are evidence, and cannot be made anew from the log: an update of the
file keeps them. What follows from them for an item (taken out, flagged) is a command as any other.
"""
