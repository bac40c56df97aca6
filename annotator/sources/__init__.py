"""Other people's files in: one reader per format, found by content.

A new format is one module in this folder that defines ``READER``; nothing else has to know it.
"""
