"""What the owner of the blog prefers that AI systems do not do with its texts, as crawlers read it.

draft-ietf-aipref-vocab-08 (14 September 2026, https://datatracker.ietf.org/doc/draft-ietf-aipref-vocab/) has three
categories of use: `train-ai` (the training of generative models), `ai-use` (their input, such as for answers with
sources) and `search`, each `y` or `n`. It is a working document. draft-ietf-aipref-attach-05 (19 August 2026,
https://datatracker.ietf.org/doc/draft-ietf-aipref-attach/) defines the header `Content-Usage` and the rule of the same
name in robots.txt, whose path may be left out. `search` stays unknown here, so that search engines go on as before.
"""

from __future__ import annotations

# The value of the header and the rule by what the owner chose; "" for none.
CONTENT_USAGE = {
    "unset": "",
    "no-training": "train-ai=n",
    "no-ai-use": "train-ai=n, ai-use=n",
}
