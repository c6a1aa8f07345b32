"""What adaptive analysts do to a holdout: to a plain one, to the Ladder's, to Thresholdout's.

    python benchmarks/leaderboard_study.py [--output FILE]

Nothing can be learned: labels are coins, so that the true loss of any submission is 1/2, and all
that a score says below that is error. Two analysts make 1,000 submissions each:

* boosting (Blum and Hardt 2015, section 4): random guesses, and then the majority vote of those
  that were said to be better than chance;
* selection (after Dwork et al. 2015): 999 columns of noise, each submitted as the classifier that
  its sign on training rows makes, and then the vote of all columns that were good on both.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from scipy import stats

from vtreat_py.evaluation import Leaderboard, Thresholdout

SIZES, SUBMISSIONS, SEEDS = (500, 2_000, 8_000), 1_000, range(20)
AT = (10, 100, 1_000)  # submissions after which the boosting analyst takes a vote
BUDGET, CONFIDENCE = 20, 0.95
LINES: list[str] = []


def say(text: str = "") -> None:
    print(text, flush=True)
    LINES.append(text)


def is_wrong(y: Any, calls: Any) -> Any:
    """The zero-one loss, without its checks of labels, which take most of the time."""
    return y != calls


class Plain:
    """A holdout that gives each submission its score."""

    def __init__(self, y: Any) -> None:
        self.y = y
        self.scores: list[float] = []

    def ask(self, calls: Any, training_score: float) -> float:  # noqa: ARG002
        """Submit, and write the answer down."""
        self.scores.append(float((calls != self.y).mean()))
        return self.scores[-1]

    def error(self) -> float:
        """The greatest error of what was reported: that of the best score."""
        return abs(min(self.scores) - 0.5)

    def bound(self) -> float:
        """What the error is promised to stay within; a plain holdout promises nothing."""
        return float("nan")


class Ladder(Plain):
    """A holdout that reports the best score, if it is better by a step."""

    def __init__(self, y: Any, step: float | None = None) -> None:
        super().__init__(y)
        self.board = Leaderboard(y, is_wrong, step=step, bounds=(0, 1))

    def ask(self, calls: Any, training_score: float) -> float:  # noqa: ARG002
        """Submit, and write the answer down."""
        self.scores.append(self.board.submit(calls))
        return self.scores[-1]

    def error(self) -> float:
        """The greatest error of any answer."""
        return max(abs(score - 0.5) for score in self.scores)

    def bound(self) -> float:
        """What the error stays within, with the confidence of the study."""
        return self.board.bound(CONFIDENCE)


class Reusable(Ladder):
    """A holdout that answers where the training score is wrong."""

    def __init__(self, y: Any, seed: int) -> None:
        Plain.__init__(self, y)
        self.holdout = Thresholdout(y, is_wrong, bounds=(0, 1), budget=BUDGET, random_state=seed)

    def ask(self, calls: Any, training_score: float) -> float:
        """Submit with the training score, and write the answer down."""
        self.scores.append(self.holdout.submit(calls, training_score))
        return self.scores[-1]

    def bound(self) -> float:
        """What the error stays within, with the confidence of the study."""
        return self.holdout.bound(CONFIDENCE)


HOLDOUTS: dict[str, Callable[[Any, int], Plain]] = {
    "plain holdout": lambda y, seed: Plain(y),  # noqa: ARG005
    "Ladder, step (log(kn)/n)^(1/3)/4": lambda y, seed: Ladder(y, step_for(len(y))),  # noqa: ARG005
    "Ladder, parameter-free": lambda y, seed: Ladder(y),  # noqa: ARG005
    f"Thresholdout, budget {BUDGET}": Reusable,
}


def step_for(n: int) -> float:
    """A step of the order of Blum and Hardt's theorem 3.1, in two digits."""
    return round(float((np.log(SUBMISSIONS * n) / n) ** (1 / 3)) / 4, 2)


@dataclass(frozen=True)
class Attack:
    """A vote on submissions: its loss on the holdout, and what the holdout says of it."""

    fitted: float
    reported: float
    error: float
    bound: float


def boosting(holdout: Plain, submissions: int, rng: np.random.Generator) -> Attack:
    """Guess, and take the vote of the guesses that were said to be better than chance."""
    n = len(holdout.y)
    votes = np.zeros(n)
    for _ in range(submissions - 1):
        guess = rng.integers(2, size=n)
        if holdout.ask(guess, 0.5) < 0.5:
            votes += 2 * guess - 1
    return voted(holdout, votes, 0.5, rng)


def selection(holdout: Plain, submissions: int, rng: np.random.Generator) -> Attack:
    """Select the columns that tell of the label on training rows, and are said to on the holdout.

    Columns are signs, that of holdout rows and of training rows; a column is taken if both scores
    are better than chance by half a standard deviation.
    """
    n = len(holdout.y)
    y = rng.integers(2, size=n)
    votes, training_votes = np.zeros(n), np.zeros(n)
    enough = 0.5 - 0.25 / np.sqrt(n)
    for _ in range(submissions - 1):
        column, training = rng.integers(2, size=(2, n))
        wrong = float((training != y).mean())
        if wrong > 0.5:
            column, training, wrong = 1 - column, 1 - training, 1 - wrong
        if holdout.ask(column, wrong) < enough and wrong < enough:
            votes += 2 * column - 1
            training_votes += 2 * training - 1
    training_score = float(((training_votes > 0) != y).mean())
    return voted(holdout, votes, training_score, rng)


def voted(holdout: Plain, votes: Any, training_score: float, rng: np.random.Generator) -> Attack:
    calls = np.where(votes == 0, rng.integers(2, size=len(votes)), votes > 0)
    reported = holdout.ask(calls, training_score)
    fitted = float((calls != holdout.y).mean())
    return Attack(fitted, reported, holdout.error(), holdout.bound())


def promised(n: int, submissions: int) -> float:
    """By how much boosting fits a plain holdout, by the normal limit: of the order sqrt(k / n).

    The better half of k guesses is right in a row with probability 1/2 + 1 / sqrt(2 pi n): so far
    is the mean of half a normal distribution. Of k / 2 such votes the majority is right with
    probability Phi(sqrt(k / (pi n))).
    """
    return float(stats.norm.cdf(np.sqrt((submissions - 1) / (np.pi * n))) - 0.5)


def attacked(
    analyst: Callable[..., Attack], sizes: Iterable[int], seeds: Iterable[int], submissions: int
) -> pd.DataFrame:
    """A row for each size, kind of holdout and seed."""
    rows = []
    for n in sizes:
        for name, make in HOLDOUTS.items():
            for seed in seeds:
                rng = np.random.default_rng([seed, n, submissions])
                found = analyst(make(rng.integers(2, size=n), seed), submissions, rng)
                rows.append((n, submissions, name, seed, *vars(found).values()))
    columns = ["n", "submissions", "holdout", "seed", "fitted", "reported", "error", "bound"]
    return pd.DataFrame(rows, columns=columns)


def with_error(values: Any) -> str:
    """A mean, and the standard error of the simulation."""
    return f"{np.mean(values):.3f} ({stats.sem(values):.3f})"


def report(title: str, table: pd.DataFrame) -> None:
    say(
        f"{title}\n{'n':>6}  {'holdout':<34}{'fitted by':>16}{'said of the vote':>19}"
        f"{'greatest error':>17}{'bound':>8}{'beyond':>8}"
    )
    for (n, name), group in table.groupby(["n", "holdout"], sort=False):
        bound = group["bound"].mean()
        beyond = "" if np.isnan(bound) else f"{(group['error'] > group['bound']).mean():.0%}"
        say(
            f"{n:>6,}  {name:<34}{with_error(0.5 - group['fitted']):>16}"
            f"{with_error(group['reported']):>19}{with_error(group['error']):>17}"
            + ("" if np.isnan(bound) else f"{bound:>8.3f}{beyond:>8}")
        )
    say()


def report_growth(table: pd.DataFrame) -> None:
    say("How the plain holdout is fitted by boosting, beside theory\n")
    say(f"{'n':>6}{'submissions':>13}{'fitted by':>18}{'theory':>9}{'.225 sqrt(k/n)':>16}")
    for (n, k), group in table.groupby(["n", "submissions"]):
        say(
            f"{n:>6,}{k:>13,}{with_error(0.5 - group['fitted']):>18}{promised(n, k):>9.3f}"
            f"{np.sqrt(k / n) / (np.pi * np.sqrt(2)):>16.3f}"
        )
    say()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--output", type=Path, default=Path(__file__).with_suffix(".txt"))
    output = parser.parse_args().output
    say(
        f"Labels are coins; the true loss of everything is .5. {len(SEEDS)} holdouts in each line; "
        "in brackets the\nstandard error of the simulation. fitted by: .5 less the loss of the "
        "last submission, a vote on the others,\non the holdout. said of the vote: the score that "
        "it gets. greatest error: of the best score of the plain\nholdout, of any score of the "
        "others. bound: mean of bound(.95) after the last submission; beyond: holdouts\nwhose "
        "greatest error is greater.\n"
    )
    boosted = [attacked(boosting, SIZES, SEEDS, k) for k in AT]
    plain = pd.concat(boosted)
    report_growth(plain[plain["holdout"] == "plain holdout"])
    report(f"Boosting, {SUBMISSIONS:,} submissions\n", boosted[-1])
    selected = attacked(selection, SIZES, SEEDS, SUBMISSIONS)
    report(f"Selection of columns, {SUBMISSIONS:,} submissions\n", selected)
    say(", ".join(f"{package} {version(package)}" for package in ("numpy", "scipy")))
    output.write_text("\n".join(LINES) + "\n")
    both = {"boosting": plain, "selection": selected}
    both_in_one = pd.concat(both, names=["analyst", None]).reset_index("analyst")
    both_in_one.to_csv(output.with_suffix(".csv"), index=False, float_format="%.6g")


if __name__ == "__main__":
    main()
