"""Texts of the clip dialog: how a clip is cut, and which annotations are copied."""

from __future__ import annotations

from annotator.media.video.clip_plan import ClipPlan
from widgets.message_text import message_text
from widgets.translation import join_texts, tr, trn


def plan_text(plan: ClipPlan | None) -> str:
    """Return how a clip is cut, and why it has to be re-encoded; None while this is being checked."""
    if plan is None:
        return tr("Checking how the clip can be cut …")
    if not plan.why:
        return tr("Cut without re-encoding: begins exactly at frame {n}.", n=f"{plan.first:,}")
    why = message_text(plan.why)
    if plan.wider is None:
        return tr("The clip is re-encoded: {why}.", why=why)
    return tr("Exactly these frames cannot be cut without re-encoding: {why}.", why=why)


def wider_text(plan: ClipPlan) -> str:
    """Return by how many frames the wider clip that needs no re-encoding is longer at each end."""
    first, last = plan.wider or (plan.first, plan.last)
    before, after = plan.first - first, last - plan.last
    parts = [
        trn(
            "begins {n} frame earlier, at key frame {frame}",
            "begins {n} frames earlier, at key frame {frame}",
            n=before,
            frame=f"{first:,}",
        )
        if before
        else "",
        trn("ends {n} frame later", "ends {n} frames later", n=after) if after else "",
    ]
    return tr("Cut without re-encoding: {how}", how=join_texts(filter(None, parts)))


def kept_text(counts: tuple[int, int, int]) -> str:
    """Return which annotations are copied: the numbers of regions, of paths and of poses."""
    regions, paths, poses = counts
    parts = [
        trn("{n} region", "{n} regions", n=regions) if regions else "",
        trn("{n} path", "{n} paths", n=paths) if paths else "",
        trn("{n} pose of the flight", "{n} poses of the flight", n=poses) if poses else "",
    ]
    kept = join_texts(filter(None, parts)) or tr("nothing; its frames have no annotations")
    return tr("Copied to the clip: {kept}. Links, event labels and items are not copied.", kept=kept)
