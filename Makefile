# The commands of the repository. `make help` lists them.

SHELL := bash
.DEFAULT_GOAL := help

# Written after a successful `npm ci`, so that it runs again only when the locked versions change.
DENO := node_modules/.deno-installed
TOOLS := node_modules/.installed
BINARY := target/release/sluice

# Extra flags: `make run ARGS="--listen 127.0.0.1:4000"`, `make bench ARGS="--only a,b"`.
ARGS ?=

.PHONY: help run build test lint bench packages deno tools clean

help: ## List the commands
	@sed -nE 's/^([a-z]+):.*## (.*)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 16

run: deno build ## Start the server, on the default data folder; ARGS="…" adds flags
	$(BINARY) serve $(ARGS)

build: ## Build the release binary, target/release/sluice
	cargo build --release --package sluice-cli

test: lint ## Lint, then run every test, on SQLite and on a throw-away PostgreSQL
	scripts/with-postgres cargo test --workspace

lint: tools ## Check the format and the lints of the Rust and the JavaScript
	cargo fmt --all --check
	cargo clippy --workspace --all-targets -- -D warnings
	node_modules/.bin/biome check --error-on-warnings

bench: tools build ## Measure throughput, latency and memory; ARGS="--only a,b" selects
	cargo run --release --package sluice-bench -- $(ARGS)

packages: tools ## Run what uses popular npm packages, fetched from the registry, under the sandbox
	SLUICE_POPULAR=all cargo test --package sluice-cli --test popular -- --nocapture

deno: $(DENO) ## Install the pinned Deno from npm

tools: $(TOOLS) ## Install what the tests use from npm, too

$(DENO): package.json package-lock.json .npmrc
	npm ci --omit=dev
	@touch $@

$(TOOLS): package.json package-lock.json .npmrc
	npm ci
	@touch $@ $(DENO)

clean: ## Remove everything that was built or installed
	rm -rf target node_modules
