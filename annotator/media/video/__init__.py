"""Frame-accurate video without Qt: frames by exact number, independent of the container's stated rate.

Usage::

    video = Video.open(path, sha256=medium.sha256)  # a video file; for a folder of images: fps=10
    video.frame_count, video.size_px, video.fps, video.times_s, video.key_frames
    video.has_audio, video.damage
    video.frame(57).rgb()  # uint8 (height, width, 3); blocks: for scripts and exports

    budget = CacheBudget()  # one for all views
    reader = FrameReader(video, on_frame=..., on_lost=..., budget=budget)  # one thread per view
    frame = reader.request(57)  # a cached frame; else None, and on_frame(frame) later on the reader's thread
    reader.request_preview(57)  # while scrubbing: the nearest key frame at once, then the exact frame
    reader.play(speed, loop=None)  # sets the direction of prefetching; reader.pause() ends it
    reader.buffered()  # pairs of first and last number, for the timeline
    reader.close()

    clock = PlaybackClock(span_of([(offset_s, video.times_s[-1]), ...]))  # one for all views
    reader.request(video.number_at(clock.time_s() - offset_s))  # at each tick of the window's timer

``export`` writes clips and images, ``sampling`` selects the frames of model runs, and
``media.model_images.model_images`` renders images of a medium with overlays.

Frames are numbered from 0 in presentation order; times are relative to the first frame. A frame contains its
number and time: overlays belong to the frame that was painted, which may not be the one requested last.
"""
