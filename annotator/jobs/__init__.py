"""Model work: plans, sends, retries and pays for requests to models; ``store.work`` stores it.

A job type (``job_types/``) plans the jobs of a run, builds requests and parses replies. The dispatcher claims
jobs, calls models and records outcomes, independent of the job type. Models come from a ``ModelCatalog``.
"""
