"""Exact video without a screen: the right frame every time, whatever the container says of its rate.

How a stage uses it::

    film = Film.open(path, sha256=medium.sha256)  # a video file; for a folder of pictures: fps=10
    film.frame_count, film.size_px, film.fps, film.times_s, film.key_frames, film.has_audio, film.damage
    film.frame(57).rgb()  # uint8 (height, width, 3); waits: for scripts and exports

    budget = Budget()  # one for all views
    view = View(film, on_frame=..., on_lost=..., budget=budget)  # one thread per view
    frame = view.request(57)  # at once where it is here; else None, and on_frame(frame) on the view's thread
    view.request_preview(57)  # while scrubbing: the nearest key frame at once, the exact one after it
    view.play(speed, loop=None)  # tells which way to fetch ahead; view.pause() when it stops
    view.buffered()  # pairs of first and last number, for the timeline
    view.close()

    clock = Clock(span_of([(offset_s, film.times_s[-1]), ...]))  # one for all views
    view.request(film.number_at(clock.time_s() - offset_s))  # at each tick of the window's timer

    save_clip, save_picture (``export``); evenly_spaced (``sampling``): what a model run takes. The pictures
    of a medium themselves, marked or not, come from ``media.visual.model_images``

Frames are numbered from 0 in the order in which they are shown; times count from the first frame. A frame
knows its own number and time: overlays belong to the frame that was painted, not to the one asked for last.
"""
