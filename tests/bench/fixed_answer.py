"""The answer that the bench's chat server gives, how long it takes, and how many ask at once."""

from __future__ import annotations

DELAY_S = 0.5
"""Answers of real endpoints take 0.3 to 30 s."""
IN_FLIGHT = 32
BODY = (
    b'{"id":"c","object":"chat.completion","created":0,"model":"fixed","choices":[{"index":0,'
    b'"finish_reason":"stop","message":{"role":"assistant","content":"A"}}],'
    b'"usage":{"prompt_tokens":100,"completion_tokens":1,"total_tokens":101}}'
)
