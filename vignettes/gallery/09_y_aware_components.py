# %% [markdown]
# # y-aware principal components: reduce a frame without losing the answer
#
# Principal components keep the directions in which a frame varies most. But what varies most is
# decided by units and by company: a column in cents varies more than one in dollars, and five
# columns that repeat each other count five times. Nothing in that asks what you want to predict.
#
# Scale each column to units of the outcome first, so that a step in it goes with an equal step of
# the outcome. Then distance means effect, columns of noise shrink to next to nothing, and the first
# components are those that matter. (N. Zumel's series on principal components regression, 2016.)

# %%
import warnings

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from sklearn.cross_decomposition import PLSRegression
from sklearn.datasets import load_breast_cancer
from sklearn.decomposition import PCA
from sklearn.linear_model import LinearRegression, LogisticRegression
from sklearn.metrics import r2_score, roc_auc_score
from sklearn.model_selection import RepeatedStratifiedKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import vtreat_py as vt
from vtreat_py import plots

# %% [markdown]
# ## A frame that hides its signal
#
# Two hidden causes make up the outcome. Five columns see one of them each, through noise. Nine more
# groups of five columns share two causes of their own, which have nothing to do with the outcome;
# and each column comes in a larger unit than the one before, so that the noise is loud.


# %%
def hidden_causes(n_rows: int, n_groups: int, seed: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Groups of five columns with two causes each; those of the first make up the outcome."""
    random = np.random.default_rng(seed)
    causes = random.normal(size=(n_groups, 2, n_rows))
    outcome = causes[0].sum(axis=0) + random.normal(size=n_rows)
    columns = {}
    for group in range(n_groups):
        for k in range(5):
            name = f"signal {k}" if group == 0 else f"noise {group}.{k}"
            seen = causes[group, k % 2] + random.normal(size=n_rows)
            columns[name] = (len(columns) + 1) * seen
    return pd.DataFrame(columns), outcome


X, y = hidden_causes(1_000, 10, seed=1)
new_x, new_y = hidden_causes(10_000, 10, seed=2)

# %% [markdown]
# ## Components of the columns alone
#
# The loudest directions are noise: two components of 50 columns predict nothing. Standardising the
# columns helps little, for there are nine times as many of the wrong ones.

# %%
plain = make_pipeline(PCA(2), LinearRegression()).fit(X, y)
standard = make_pipeline(StandardScaler(), PCA(2), LinearRegression()).fit(X, y)
for name, model in (("as they are", plain), ("standardised", standard)):
    print(f"2 components of columns {name}: R2 of new rows {model.score(new_x, new_y):.3f}")
assert plain.score(new_x, new_y) < 0.02
assert standard.score(new_x, new_y) < 0.12

# %% [markdown]
# ## Components of columns in units of the outcome
#
# The same, but scaled by what each column says of the outcome. How many components? Shuffle the
# outcome, and see how large a component of nothing gets: five stand clear of that. Or see how well
# the best component of a shuffled outcome predicts it, which asks another question: which
# components tell of the outcome? Two do, one for each cause.

# %%
by_permutation = vt.YAwarePCA("permutation", random_state=0).fit(X, y)
by_significance = vt.YAwarePCA("significance", random_state=0).fit(X, y)
print("stand out of permuted outcomes:", by_permutation.selected_)
print("tell of the outcome:           ", by_significance.selected_)
assert by_permutation.n_components_ == 5
assert by_significance.selected_.tolist() == [0, 1]

loadings = pd.DataFrame(np.abs(by_permutation.components_[:2]).T, index=X.columns)
print(loadings.round(2).head(7))
assert loadings.iloc[:5].max(axis=1).min() > 5 * loadings.iloc[5:].max(axis=1).max()

# %% [markdown]
# On the left, singular values beside those of permuted outcomes; on the right, the rows by the two
# components that tell, coloured by their outcome.

# %%
figure, axes = plt.subplots(1, 2, figsize=(11, 4.2), layout="constrained")
plots.scree(by_permutation, axes[0])
plots.projection(by_permutation.transform(X), y, axes[1])
plt.show()

# %% [markdown]
# How far columns reach before and after scaling, and how they enter the components: after it the
# five columns of signal are the longest.

# %%
scaled = vt.YAwareScaler().fit(X, y).transform(X)
figure, axes = plt.subplots(1, 2, figsize=(11, 9), layout="constrained")
plots.ranges(X, scaled, axes[0])
plots.loadings(by_permutation, axes[1])
plt.show()

# %% [markdown]
# `YAwarePCR` is the regression on such components as one estimator. Two of them predict as well as
# anything can be had from these columns.

# %%
aware = vt.YAwarePCR(2).fit(X, y)
print(aware.summary())
print(f"R2 of new rows: {aware.score(new_x, new_y):.3f}")
assert aware.score(new_x, new_y) > 0.45

# %% [markdown]
# ## Beside partial least squares, with 250 columns
#
# Partial least squares looks at the outcome too, and does well with 50 columns. Its components are
# weighted sums of *all* columns, though, and are chosen to fit the training rows; with 245 columns
# of noise it fits the noise. A y-aware component is a direction in which the scaled columns vary
# *together*: single columns of noise that lean to the outcome by chance make none.

# %%
wide_x, wide_y = hidden_causes(1_000, 50, seed=3)
wide_new_x, wide_new_y = hidden_causes(10_000, 50, seed=4)
scores = {}
for name, model in (("y-aware", vt.YAwarePCR(2)), ("PLS", PLSRegression(2))):
    model.fit(wide_x, wide_y)
    promised = r2_score(wide_y, np.ravel(model.predict(wide_x)))
    kept = r2_score(wide_new_y, np.ravel(model.predict(wide_new_x)))
    scores[name] = promised, kept
    print(f"{name:>8}, 2 components: R2 {promised:.3f} on training rows, {kept:.3f} on new rows")
assert scores["y-aware"][1] > scores["PLS"][1] + 0.04
assert scores["PLS"][0] - scores["PLS"][1] > 0.1 > scores["y-aware"][0] - scores["y-aware"][1]

# %% [markdown]
# ## Real data: what one number says of a tumour
#
# Thirty measurements of cell nuclei, from square micrometres to fractions of one. One component,
# chosen without a look at the diagnosis, is the sheer size of the nucleus, because areas have the
# largest numbers. Standardised columns do better. The y-aware component is better still, and it
# needs no thought about units: rescaling a column changes nothing.

# %%
cells, diagnosis = load_breast_cancer(return_X_y=True, as_frame=True)
folds = RepeatedStratifiedKFold(n_splits=5, n_repeats=4, random_state=0)
logistic = LogisticRegression(C=np.inf, solver="newton-cholesky")
one_component = {
    "columns as they are": make_pipeline(PCA(1), logistic),
    "standardised": make_pipeline(StandardScaler(), PCA(1), logistic),
    "y-aware": vt.YAwarePCRClassifier(1),
}
auc = {
    name: cross_val_score(model, cells, diagnosis, scoring="roc_auc", cv=folds)
    for name, model in one_component.items()
}
for name, values in auc.items():
    print(f"one component, {name}: AUC {values.mean():.4f}")
assert auc["y-aware"].mean() > auc["standardised"].mean() > auc["columns as they are"].mean()
assert (auc["y-aware"] > auc["standardised"]).mean() > 0.8

in_other_units = cells.assign(**{"mean area": 1e6 * cells["mean area"]})
aware = vt.YAwarePCRClassifier(1).fit(cells, diagnosis)
again = vt.YAwarePCRClassifier(1).fit(in_other_units, diagnosis)
np.testing.assert_allclose(
    aware.predict_proba(cells), again.predict_proba(in_other_units), rtol=1e-6
)

# %% [markdown]
# ## When out-of-fold scaling matters
#
# A slope has seen the outcomes of its rows. One slope leans to them by a hair; three hundred slopes
# of noise, added up, look like a finding. `fit_transform` scales each row by what the other folds
# say, as the cross-frame does with codes; `fit(...).transform(...)` does not.

# %%
random = np.random.default_rng(5)
nothing, coin = random.normal(size=(200, 300)), random.normal(size=200)
pca = vt.YAwarePCA(3, random_state=0)
out_of_fold = pca.fit_transform(nothing, coin)
in_sample = pca.transform(nothing)
found = {
    name: LinearRegression().fit(z, coin).score(z, coin)
    for name, z in (("in sample", in_sample), ("out of fold", out_of_fold))
}
print({name: round(value, 3) for name, value in found.items()}, "where there is nothing to find")
assert found["in sample"] > 0.25
assert found["out of fold"] < 0.06

with warnings.catch_warnings():
    warnings.simplefilter("ignore", vt.VtreatWarning)
    assert vt.YAwarePCA(random_state=0).fit(nothing, coin).n_components_ == 0

# %% [markdown]
# ## In one line, from any frame
#
# A treatment in front makes numbers of text and missing values, out of fold:
# `vt.YAwarePCR(treatment=vt.NumericOutcomeTreatment())`.

# %%
towns = np.random.default_rng(6).choice([f"town {k}" for k in range(40)], 2_000)
effect = pd.Series(towns).str[5:].astype(int) / 20 - 1
frame = pd.DataFrame({"town": towns, "size": np.where(effect > 0.8, np.nan, effect**2)})
price = effect + np.random.default_rng(7).normal(size=2_000)
model = vt.YAwarePCR(2, treatment=vt.NumericOutcomeTreatment(random_state=0))
model.fit(frame.head(1_000), price.head(1_000))
print(pd.Series(model.coef_, model.variables_).round(2).head(4))
assert model.score(frame.tail(1_000), price.tail(1_000)) > 0.15
assert roc_auc_score(price.tail(1_000) > 0, model.predict(frame.tail(1_000))) > 0.65
