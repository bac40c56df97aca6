"""Model work: what is asked, in which order, how often, for how much; ``store.work`` keeps it.

A kind of work (``kinds/``) says what a run asks and reads answers out of replies. The dispatcher claims jobs,
calls models and records what came; it knows no kind. Models come from a ``predictor.Catalogue``.
"""
