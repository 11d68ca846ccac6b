"""Learns a vector for each stem, so that the sum of a text's vectors points where a sentence model puts the text.

Reads `texts.jsonl` (each line a text, followed by its English translation if it is in another language) and
`words.json` (the number of stems, and the rows of each word's stems) from one folder, and the sentence model from
another. Writes `vectors.bin`: a 32-bit length for each row, then all directions in 256 signed bytes each. Needs
PyTorch, transformers, tokenizers, safetensors and regex; uses a GPU if there is one.
"""

import argparse
import json
import time
import unicodedata
from collections import Counter
from pathlib import Path

import numpy as np
import regex
import torch
from safetensors.torch import load_file
from tokenizers import Tokenizer
from torch.nn.functional import embedding_bag, normalize
from transformers import BertConfig, BertModel

DIMENSIONS = 256
SEED = 1
TOKENS_MAX = 96
# BM25's saturation of a stem that occurs often, as in the embedder.
SATURATION = 1.2
# A word with this share of all text weighs half at first (Arora et al., A Simple but Tough-to-Beat Baseline, 2017).
SHARE_HALF = 1e-3
BATCH = 4096
WARM_UP = 100
WORD = regex.compile(r"[\p{L}\p{N}\p{M}]+")
START = time.time()


def say(message: str) -> None:
    print(f"{time.time() - START:4.0f} s  {message}", flush=True)


def load_teacher(folder: Path, device: str) -> tuple[Tokenizer, BertModel]:
    tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
    tokenizer.no_padding()
    tokenizer.enable_truncation(TOKENS_MAX)
    config = BertConfig.from_json_file(str(folder / "config.json"))
    model = BertModel(config, add_pooling_layer=False)
    weights = {
        name.removeprefix("bert."): value.float()
        for name, value in load_file(folder / "model.fp16.safetensors").items()
    }
    missing = model.load_state_dict(weights, strict=False).missing_keys
    if missing:
        raise SystemExit(f"The sentence model lacks {missing[0]}.")
    kind = torch.bfloat16 if device == "cuda" else torch.float32
    return tokenizer, model.to(device, kind).eval()


@torch.no_grad()
def encode(tokenizer: Tokenizer, model: BertModel, texts: list[str]) -> torch.Tensor:
    """The unit vectors of texts: the mean of their tokens' (Reimers and Gurevych, Sentence-BERT, 2019)."""
    tokens = [
        np.array(one.ids)
        for at in range(0, len(texts), 50_000)
        for one in tokenizer.encode_batch(texts[at : at + 50_000])
    ]
    lengths = np.array([len(one) for one in tokens])
    order = np.argsort(lengths, kind="stable")
    result = torch.zeros(len(texts), model.config.hidden_size, device=model.device)
    at = 0
    while at < len(order):
        longest = lengths[order[min(len(order) - 1, at + 255)]]
        batch = order[at : at + max(256, min(8192, 131_072 // longest))]
        at += len(batch)
        ids = np.zeros((len(batch), lengths[batch].max()), dtype=np.int64)
        for row, one in enumerate(batch):
            ids[row, : lengths[one]] = tokens[one]
        mask = torch.from_numpy(np.arange(ids.shape[1]) < lengths[batch][:, None]).to(model.device)
        states = model(input_ids=torch.from_numpy(ids).to(model.device), attention_mask=mask.long()).last_hidden_state
        result[torch.from_numpy(batch).to(model.device)] = normalize((states.float() * mask[..., None]).sum(1), dim=1)
    return result


def words_of(text: str) -> list[str]:
    return WORD.findall(unicodedata.normalize("NFKC", text).lower())


class Stems:
    """The stems of texts, weighed by how often they occur in each."""

    def __init__(self, texts: list[str], words: dict[str, list[int]], device: str) -> None:
        starts, rows, weights = [0], [], []
        for text in texts:
            for row, count in Counter(row for word in words_of(text) for row in words.get(word, [])).items():
                rows.append(row)
                weights.append((SATURATION + 1) * count / (count + SATURATION))
            starts.append(len(rows))
        self.starts, self.rows, self.weights = (torch.tensor(one, device=device) for one in (starts, rows, weights))

    def known(self) -> torch.Tensor:
        return torch.nonzero(self.starts[1:] > self.starts[:-1]).squeeze(1)

    def embed(self, vectors: torch.Tensor, texts: torch.Tensor, dropped: float = 0.0) -> torch.Tensor:
        lengths = self.starts[texts + 1] - self.starts[texts]
        offsets = lengths.cumsum(0) - lengths
        places = torch.arange(int(lengths.sum()), device=texts.device) + torch.repeat_interleave(
            self.starts[texts] - offsets, lengths
        )
        weights = self.weights[places]
        if dropped > 0:
            weights = weights * (torch.rand(len(weights), device=texts.device) >= dropped)
        return normalize(
            embedding_bag(self.rows[places], vectors, offsets, mode="sum", per_sample_weights=weights), dim=1, eps=1e-6
        )


def first_vectors(
    of_words: dict[str, torch.Tensor], counts: Counter[str], words: dict[str, list[int]], rows: int, device: str
) -> torch.Tensor:
    """Each stem's words as the sentence model reads them alone, by frequency."""
    vectors = torch.zeros(rows, DIMENSIONS, device=device)
    shares = torch.zeros(rows, device=device)
    for word, vector in of_words.items():
        vectors[words[word][0]] += counts[word] * vector
        shares[words[word][0]] += counts[word]
    shares = shares / shares.sum()
    return normalize(vectors, dim=1) * (SHARE_HALF / (SHARE_HALF + shares))[:, None]


def learn(
    first: torch.Tensor,
    stems: Stems,
    targets: torch.Tensor,
    known: torch.Tensor,
    *,
    epochs: int,
    rate: float,
    dropped: float,
) -> torch.Tensor:
    torch.manual_seed(SEED)
    vectors = first.clone().requires_grad_(True)
    optimizer = torch.optim.Adam([vectors], lr=rate)
    steps = epochs * len(known) // BATCH
    total = 0.0
    for step in range(steps):
        texts = known[torch.randint(len(known), (BATCH,), device=known.device)]
        for group in optimizer.param_groups:
            group["lr"] = rate * min(1, step / WARM_UP) * (1 - step / steps)
        loss = (1 - (stems.embed(vectors, texts, dropped) * targets[texts]).sum(1)).mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        total += loss.item()
        if (step + 1) % 500 == 0:
            say(f"step {step + 1} of {steps}: distance {total / 500:.4f}")
            total = 0.0
    return vectors.detach()


def write(vectors: torch.Tensor, file: Path) -> None:
    largest = vectors.abs().amax(1, keepdim=True).clamp_min(1e-9)
    directions = torch.round(vectors / largest * 127).to(torch.int8)
    file.write_bytes(vectors.norm(dim=1).cpu().numpy().astype("<f4").tobytes() + directions.cpu().numpy().tobytes())


def prepare(folder: Path, teacher: Path, device: str):
    lines = [json.loads(line) for line in (folder / "texts.jsonl").open(encoding="utf-8")]
    texts, meanings = [line[0] for line in lines], [line[-1] for line in lines]
    file = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    words, count = file["words"], file["stems"]
    say(f"{len(texts)} texts, {len(words)} words, {count} stems")
    stems = Stems(texts, words, device)
    counts = Counter(word for line in lines if len(line) == 1 for word in words_of(line[0]))
    alone = [word for word, rows in words.items() if len(rows) == 1 and word in counts]
    tokenizer, model = load_teacher(teacher, device)
    wanted = encode(tokenizer, model, meanings)
    of_alone = encode(tokenizer, model, alone)
    say("read by the sentence model")
    sample = wanted[torch.randperm(len(wanted), device=device)[:300_000]]
    directions = torch.linalg.eigh(sample.T @ sample / len(sample)).eigenvectors[:, -DIMENSIONS:].flip(1)
    projected = wanted @ directions
    targets = normalize(normalize(projected, dim=1) - normalize(projected, dim=1).mean(0), dim=1)
    first = first_vectors(dict(zip(alone, of_alone @ directions)), counts, words, count, device)
    return stems, targets, first


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("teacher", type=Path)
    options = parser.parse_args()
    torch.manual_seed(SEED)
    device = "cuda" if torch.cuda.is_available() else "cpu"
    stems, targets, first = prepare(options.folder, options.teacher, device)
    vectors = learn(first, stems, targets, stems.known(), epochs=12, rate=3e-3, dropped=0.1)
    write(vectors, options.folder / "vectors.bin")


if __name__ == "__main__":
    main()
