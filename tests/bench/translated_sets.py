"""A generator of sets in Chinese, as translated questions have them: no blanks, no articles, no plurals.

Nothing is learnt from it and no signal was chosen by it: it tells how the calibrated policy does on sets that
its authors did not have in view.
"""

from __future__ import annotations

import random
from dataclasses import replace

from tests.bench.shortcut_sets import Draft, SetSource, changed, several

_THINGS = (
    "公交车", "面包车", "卡车", "出租车", "电车", "塔吊", "雕像", "喷泉", "报亭", "帐篷", "小船", "棚屋",
    "救护车", "挖掘机", "遮阳伞",
    "自行车", "拖车", "长椅", "路灯", "护栏",
)  # fmt: skip
_COLOURS = ("红色", "蓝色", "白色", "黑色", "绿色", "黄色", "灰色", "橙色", "棕色", "银色")
_PLACES = (
    "桥边", "停车场旁", "广场一角", "学校后面", "河岸", "车站前", "操场边",
    "屋顶平台", "高架桥下", "码头", "两座塔之间", "市场对面",
)  # fmt: skip
_ACTIONS = (
    "在路口左转", "停在路边", "超过骑车人", "等待行人", "倒车进院子", "离开环岛",
    "排进车队", "停在树下", "驶过轨道", "在弯道前减速",
    "进入隧道", "经过喷泉",
)  # fmt: skip
_DETAILS = (
    "并且在两架无人机的整段视频中始终可以看到",
    "因为前方车道被一排锥桶和一辆停着的货车占用",
    "与此同时有一群人沿着街道另一侧行走",
    "从落在楼房墙面上的影子也可以得到确认",
)
_ABSURD = (
    "鲸鱼在云里弹钢琴", "恐龙给月亮织毛衣", "火山背诵唐诗", "企鹅出售天气", "金字塔跳进茶杯",
    "彗星学习游泳", "潜水艇爱上灯塔",
)  # fmt: skip
_ABSOLUTES, _HEDGES = ("必定", "全都", "总是"), ("可能", "大约", "部分")
_DEPOTS = tuple(
    f"{name}仓库" for name in ("东风", "红星", "长江", "泰山", "春光", "金桥", "和平", "新华", "向阳")
)
_NAMES = tuple(a + b for a in "云海松林石田" for b in "安宁庆昌达兴")
_STATES = ("看不清", "被树挡住", "在画面外", "在阴影里")


def _object(draw: random.Random) -> str:
    return draw.choice(_COLOURS) + draw.choice(_THINGS)


def _located(draw: random.Random) -> str:
    return f"{draw.choice(_PLACES)}的{_object(draw)}"


def _sentence(draw: random.Random) -> str:
    degree = draw.choice((*_ABSOLUTES, *_HEDGES)) if draw.random() < 0.1 else ""
    return f"{_object(draw)}{degree}{draw.choice(_ACTIONS)}"


def _worded(draw: random.Random) -> Draft:
    form = draw.randrange(3)
    if form == 0:
        return Draft(question=f"在{draw.choice(_PLACES)}可以看到什么？", options=several(_located, draw))
    if form == 1:
        options = several(_sentence, draw)
        if draw.random() < 0.3:
            options = tuple(f"{text}，{draw.choice(_DETAILS)}" for text in options)
        return Draft(question=f"视频中{draw.choice(_PLACES)}发生了什么事情？", options=options)
    return Draft(
        question=f"第二架无人机在{draw.choice(_PLACES)}看到了哪个物体？", options=several(_object, draw)
    )


def _draft(draw: random.Random) -> Draft:
    if draw.random() < 0.75:
        return _worded(draw)
    base = draw.randrange(2, 40)
    options = tuple(f"{number}辆" for number in draw.sample(range(base, base + 30), 4))
    return Draft(question=f"{draw.choice(_PLACES)}附近一共有多少辆{draw.choice(_THINGS)}？", options=options)


def _length(_: Draft, key: int, draw: random.Random) -> Draft:
    draft, detail = _worded(draw), draw.choice(_DETAILS)
    short = changed(draft, key, wrong=lambda text: text.split("，")[0])
    return changed(short, key, right=lambda text: f"{text}，{detail}")


def _overlap(_: Draft, key: int, draw: random.Random) -> Draft:
    draft = _worded(draw)
    return replace(draft, question=f"画面里有{draft.options[key]}。{draft.question}")


def _absurd(_: Draft, key: int, draw: random.Random) -> Draft:
    jokes = draw.sample(_ABSURD, 4)
    return changed(_worded(draw), key, wrong=lambda _: jokes.pop())


def _style(_: Draft, key: int, draw: random.Random) -> Draft:
    return changed(_worded(draw), key, right=lambda text: f"{text}。")


def _convergence(_: Draft, key: int, draw: random.Random) -> Draft:
    colours, things = draw.sample(_COLOURS, 2), draw.sample(_THINGS, 2)
    locations = draw.sample(_PLACES, 2)
    options = [
        f"{locations[0]}的{colours[1]}{things[0]}",
        f"{locations[0]}的{colours[0]}{things[1]}",
        f"{locations[1]}的{colours[0]}{things[0]}",
    ]
    draw.shuffle(options)
    options.insert(key, f"{locations[0]}的{colours[0]}{things[0]}")
    return Draft(question="视频最后出现的是什么？", options=tuple(options))


def _numbers(_: Draft, key: int, draw: random.Random) -> Draft:
    options = [f"{number}米" for number in draw.sample(range(10, 100, 10), 4)]
    options[key] = f"{draw.randrange(11, 90)}.{draw.randrange(1, 10)}米"
    return Draft(question=f"{_object(draw)}离无人机有多远？", options=tuple(options))


def _degree(_: Draft, key: int, draw: random.Random) -> Draft:
    return changed(
        _worded(draw),
        key,
        right=lambda text: draw.choice(_HEDGES) + text,
        wrong=lambda text: draw.choice(_ABSOLUTES) + text,
    )


def _pool(_: Draft, key: int, draw: random.Random) -> Draft:
    options = draw.sample(_DEPOTS, 4)
    options[key] = f"{draw.choice(_NAMES)}仓库"
    return Draft(question=f"{draw.choice(_PLACES)}的建筑是什么？", options=tuple(options))


def _habit(_: Draft, key: int, draw: random.Random) -> Draft:
    options = draw.sample(_STATES[1:], 3)
    options.insert(key, _STATES[0])
    return Draft(question=f"{_object(draw)}在哪里？", options=tuple(options))


def _totality(_: Draft, key: int, draw: random.Random) -> Draft:
    return changed(_worded(draw), key, right=lambda _: "以上都是")


TRANSLATIONS = SetSource(
    name="translations",
    draft=_draft,
    shortcuts={
        "length": _length,
        "overlap": _overlap,
        "absurd": _absurd,
        "style": _style,
        "convergence": _convergence,
        "numbers": _numbers,
        "absolutes": _degree,
        "pool": _pool,
        "habit": _habit,
        "totality": _totality,
    },
)
