"""Views with annotations, tools, timeline and status line, as several workspaces show them."""
