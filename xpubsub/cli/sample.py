"""Generate sample subscriptions and messages (stock ticks, orders, news), the same on every run."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator

SYMBOLS = ("YHOO", "IBM", "MSFT", "ORCL", "SUNW", "HPQ", "DELL", "AAPL")
COUNTRIES = ("CA", "US", "FR", "DE", "JP")
SKUS = ("pen", "ink", "lamp", "desk", "chair", "shelf")
TOPICS = ("markets", "weather", "science", "sport")
WORDS = ("rain", "rates", "storm", "merger", "record", "strike", "comet", "final")

STOCK_FILTERS = (
    "/stock[symbol='{symbol}']/price > {price}",
    "/stock[symbol='{symbol}' and volume >= {volume}]",
    "/stock[symbol='{symbol}' or price < {price}]",
)
ORDER_FILTERS = (
    "//item[price > {price}]/sku",
    "/order[customer/@country='{country}' and .//item[price > {price}]/sku='{sku}']",
    "/order[not(gift)]//item[sku='{sku}']",
    "/order[items/item[sku='{sku}' and quantity > 2] and total > {volume}]",
)
NEWS_FILTERS = (
    "/news[topic='{topic}' and contains(title, '{word}')]",
    "/news[starts-with(title, '{word}') or topic='{topic}']/body",
    "/news[@lang='en' and not(contains(body, '{word}'))]",
)


def subscriptions(per_kind: int = 100, seed: int = 7) -> list[tuple[str, str]]:
    """Generate (id, XPath) subscriptions, `per_kind` each for ticks, orders and news."""
    rng = random.Random(seed)
    kinds = {"stock": STOCK_FILTERS, "order": ORDER_FILTERS, "news": NEWS_FILTERS}
    return [
        (f"{kind}-{number:03d}", filters[number % len(filters)].format_map(_constants(rng)))
        for kind, filters in kinds.items() for number in range(1, per_kind + 1)
    ]


def _constants(rng: random.Random) -> dict[str, object]:
    return {
        "symbol": rng.choice(SYMBOLS), "country": rng.choice(COUNTRIES), "sku": rng.choice(SKUS),
        "topic": rng.choice(TOPICS), "word": rng.choice(WORDS),
        "price": rng.randrange(60, 200, 5), "volume": rng.randrange(200, 900, 50),
    }


def messages(per_kind: int = 100, seed: int = 8) -> list[tuple[str, str]]:
    """Generate (id, XML) messages, `per_kind` of each kind; the last one is truncated."""
    rng = random.Random(seed)
    made = list(_messages(rng, per_kind))
    last, xml = made[-1]
    return [*made[:-1], (last, xml[: len(xml) // 2])]


def _messages(rng: random.Random, per_kind: int) -> Iterator[tuple[str, str]]:
    makers: dict[str, Callable[[random.Random], str]] = {"tick": _tick, "purchase": _order, "story": _news}
    for number in range(1, per_kind + 1):
        for kind, maker in makers.items():
            yield f"{kind}-{number:03d}", maker(rng)


def _tick(rng: random.Random) -> str:
    symbol, price, volume = rng.choice(SYMBOLS), rng.uniform(40, 180), rng.randrange(100, 1000)
    return f"<stock><symbol>{symbol}</symbol><price>{price:.2f}</price><volume>{volume}</volume></stock>"


def _order(rng: random.Random) -> str:
    prices = [rng.randrange(5, 220) for _ in range(rng.randrange(1, 4))]
    items = "".join(
        f"<item><sku>{rng.choice(SKUS)}</sku><quantity>{rng.randrange(1, 5)}</quantity><price>{price}</price></item>"
        for price in prices
    )
    gift = "<gift/>" if rng.random() < 0.3 else ""
    customer = f'<customer country="{rng.choice(COUNTRIES)}"/>'
    return f"<order>{customer}{gift}<items>{items}</items><total>{sum(prices)}</total></order>"


def _news(rng: random.Random) -> str:
    title, body = " ".join(rng.sample(WORDS, 3)), " ".join(rng.sample(WORDS, 5))
    lang, topic = rng.choice(("en", "fr")), rng.choice(TOPICS)
    return f'<news lang="{lang}"><topic>{topic}</topic><title>{title}</title><body>{body}</body></news>'
