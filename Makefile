# The commands of the repository. `make help` lists them.

SHELL := bash
.DEFAULT_GOAL := help

# Written after a successful `npm ci`, so that it runs again only when the locked versions change.
DENO := node_modules/.deno-installed
TOOLS := node_modules/.installed
CONSOLE_TOOLS := ui/node_modules/.installed
CONSOLE := ui/dist/index.html
DOCS_TOOLS := docs/node_modules/.installed
DOCS := docs/.vitepress/dist/index.html
TAP := target/tap/.installed
OPENAPI_PYTHON := target/openapi/.installed
OPENAPI_LINTERS := scripts/openapi/node_modules/.installed
BINARY := target/release/sluice
# Written after a successful check of the console, so that it runs again only when a file of the console changes.
CONSOLE_SOURCES := docs/openapi.json $(shell find ui/src ui/public ui/tests ui/*.ts ui/*.js ui/*.json ui/index.html -type f ! -name schema.d.ts)
CONSOLE_CHECKED := target/.console-checked

# The test runner. In continuous integration a test that failed is retried and reported as flaky.
NEXTEST := cargo nextest run --workspace $(if $(CI),--profile ci)
NEXTEST_VERSION := 0.9.143

# Compiled without optimization, which takes a minute in place of ten. It runs for a second.
CARGO_DENY_VERSION := 0.20.2
CARGO_CYCLONEDX_VERSION := 0.5.9
INSTALL_TOOL := CARGO_PROFILE_DEV_DEBUG=0 cargo install --locked --debug

# Attacks by components. They run a second time without Deno's own permissions, so that the kernel and the server stand alone.
KERNEL_ATTACKS := test(/attacks::(control_groups|files|folders|network|reports|time_limit|uploads)::/)

# The table of `make faults`.
FAULTS := target/faults.tsv

# Extra flags: `make run ARGS="--listen 127.0.0.1:4000"`, `make bench ARGS="--only a,b"`, `make compare ARGS="--only sluice,n8n"`.
ARGS ?=

.PHONY: cargo-deny cargo-cyclonedx help run cluster build ui docs docs-test check test faults flakes runner lint advisories dist dist-test dist-twice bench compare packages screenshots catalogue deno tools clean

help: ## List the commands
	@sed -nE 's/^([a-z-]+):.*## (.*)/  make \1	\2/p' $(MAKEFILE_LIST) | expand -t 20

run: deno ui docs build ## Start the server, on the default data folder; ARGS="…" adds flags
	$(BINARY) serve $(ARGS)

cluster: deno ui build ## Start three nodes on a throw-away PostgreSQL behind a load balancer, to kill one and watch
	cargo build --release --package sluice-testkit --bin try-cluster
	SLUICE_BINARY=$(BINARY) target/release/try-cluster

build: ## Build the release binary, target/release/sluice, with the console if that was built
	SLUICE_BUILD="$$(scripts/dist/build-name)" cargo build --release --package sluice-cli

ui: $(CONSOLE) ## Build the console, ui/dist

docs: $(DOCS) ## Build the documentation site, docs/.vitepress/dist

docs-test: docs ## Check the links of the documentation site, and its pages in a browser
	cd docs && ../scripts/with-chromium npm test

# It builds the same packages as `make test`, so that both share what is built, without the targets `popular` and `steps`,
# and so without linking the binary. The profile leaves out tests that start Deno or PostgreSQL.
check: tools runner $(CONSOLE_CHECKED) ## Check format and lints, and test the packages that differ from the last commit, in process
	cargo fmt --all --check
	node_modules/.bin/biome check --error-on-warnings
	node scripts/check-cycles.mjs
	cargo clippy --workspace --all-targets -- -D warnings
	SLUICE_TEST_SKIP_POSTGRES=1 cargo nextest run --workspace --lib --bins --test it --profile check \
		--no-tests pass -E "$$(scripts/changed-tests)"

test: lint ui docs runner $(TAP) ## Lint, then run every test: on SQLite, on a throw-away PostgreSQL, and in a browser
	$(NEXTEST) --no-run
	SLUICE_TEST_TAP_PYTHON=$(abspath $(dir $(TAP)))/bin/python \
		SLUICE_TEST_OPENAPI_PYTHON=$(abspath $(dir $(OPENAPI_PYTHON)))/bin/python \
		scripts/with-promtool scripts/with-postgres target/debug/with-broker $(NEXTEST)
	SLUICE_TEST_DENO_PERMISSIONS=off $(NEXTEST) -E '$(KERNEL_ATTACKS)'
	node scripts/docs-snippets/run.mjs --all --require node,python,rust
	cd ui && ../scripts/with-chromium npm test
	cd docs && ../scripts/with-chromium npm test

# Each test adds a row to the table. It is printed also when a test fails.
faults: tools runner build ## Kill, freeze and cut off nodes hundreds of times under load, and print a table; takes two hours
	cargo nextest run --package sluice-e2e --no-run
	rm -f $(FAULTS)
	SLUICE_FAULTS=long SLUICE_FAULTS_REPORT=$(abspath $(FAULTS)) SLUICE_BINARY=$(BINARY) \
		cargo nextest run --package sluice-e2e --profile faults $(ARGS); \
		result=$$?; column -t -s $$'\t' $(FAULTS); exit $$result

flakes: tools runner ## Run the tests that match ARGS="name" a hundred times while both cores are busy
	$(NEXTEST) --no-run
	scripts/with-load scripts/with-postgres target/debug/with-broker $(NEXTEST) --stress-count 100 $(ARGS)

runner: ## Install the test runner, cargo-nextest, if it is missing
	@cargo nextest --version >/dev/null 2>&1 || cargo install cargo-nextest --locked --version $(NEXTEST_VERSION)

cargo-deny:
	@[[ "$$(cargo deny --version 2>/dev/null)" == *" $(CARGO_DENY_VERSION)" ]] || $(INSTALL_TOOL) cargo-deny --version $(CARGO_DENY_VERSION)

cargo-cyclonedx:
	@[[ "$$(cargo cyclonedx --version 2>/dev/null)" == *" $(CARGO_CYCLONEDX_VERSION)" ]] \
		|| $(INSTALL_TOOL) cargo-cyclonedx --version $(CARGO_CYCLONEDX_VERSION)

lint: tools cargo-deny $(CONSOLE_TOOLS) $(OPENAPI_LINTERS) $(OPENAPI_PYTHON) ## Check the format, the lints, the types and the licences of the Rust, the JavaScript, the console and the API, and the files of the packages
	cargo fmt --all --check
	cargo deny --log-level error check licenses bans sources
	cargo clippy --workspace --all-targets -- -D warnings
	node_modules/.bin/biome check --error-on-warnings
	node --test scripts/cycles/*.test.mjs
	node --test scripts/packaging/*.test.mjs
	node scripts/check-cycles.mjs
	node --test packages/types/test/types.test.mjs
	scripts/openapi/lint $(dir $(OPENAPI_PYTHON))
	cd ui && npm run check

# The database is a git repository on GitHub, so it is not part of `make lint`.
advisories: cargo-deny ## Check the crates against the database of security advisories, which needs the network
	cargo deny --log-level error check advisories

dist: deno ui docs cargo-cyclonedx ## Build the packages of a release into target/dist-packages; TARGET selects the platform
	scripts/dist/all

dist-test: ## Install and run each package of `make dist` in namespaces of its own; needs root
	SLUICE_PACKAGES=$(abspath $(or $(CARGO_TARGET_DIR),target)/dist-packages) node --test scripts/dist/test/artefacts.test.mjs

dist-twice: ## Build the packages of the commit twice, in other folders, and compare their bytes; takes two builds from nothing
	scripts/dist/twice

bench: tools ## Measure throughput, latency and memory of an optimized build; ARGS="--only a,b" selects
	cargo build --profile dist --package sluice-cli --package sluice-bench
	SLUICE_TEST_POSTGRES_FSYNC=on scripts/with-postgres target/dist/sluice-bench $(ARGS)

compare: deno ## Install n8n and Node-RED from npm and compare them with Sluice; ARGS="--only sluice,n8n" selects
	cargo build --profile dist --package sluice-cli --package sluice-bench
	target/dist/sluice-compare $(ARGS)

packages: tools ## Run what uses popular npm packages, fetched from the registry, under the sandbox
	cargo build --package sluice-cli
	SLUICE_POPULAR=all cargo test --package sluice-e2e --test popular -- --nocapture

screenshots: tools ui ## Take pictures of every page of the console, light and dark, into docs/screenshots
	cargo build --package sluice-cli
	cd ui && ../scripts/with-chromium npm run screenshots

catalogue: ## Build the app catalogue anew from its data packages, fetched from npm
	npm ci --prefix scripts/catalogue --ignore-scripts --no-audit --no-fund
	node scripts/catalogue/build.mjs

deno: $(DENO) ## Install the pinned Deno from npm

tools: $(TOOLS) ## Install what the tests use from npm, too

$(DENO): package.json package-lock.json .npmrc
	npm ci --omit=dev
	@touch $@

$(TOOLS): package.json package-lock.json .npmrc
	npm ci
	@touch $@ $(DENO)

$(TAP): scripts/python-venv scripts/tap/requirements.txt
	scripts/python-venv $(@D) scripts/tap/requirements.txt "the test with tap-pipedream"
	@touch $@

$(OPENAPI_PYTHON): scripts/python-venv scripts/openapi/requirements.txt
	scripts/python-venv $(@D) scripts/openapi/requirements.txt "openapi-spec-validator and the test of a client in Python"
	@touch $@

# One of the packages has an install script, which sends usage data.
$(OPENAPI_LINTERS): scripts/openapi/package.json scripts/openapi/package-lock.json scripts/openapi/.npmrc
	npm ci --prefix scripts/openapi --ignore-scripts
	@touch $@

$(CONSOLE_TOOLS): ui/package.json ui/package-lock.json ui/.npmrc
	cd ui && npm ci
	@touch $@

$(CONSOLE_CHECKED): $(CONSOLE_TOOLS) $(CONSOLE_SOURCES)
	cd ui && npm run check && npm run test:unit
	@mkdir -p $(@D) && touch $@

$(CONSOLE): $(CONSOLE_TOOLS) docs/openapi.json $(shell find ui/src ui/public ui/*.ts ui/*.js ui/index.html -type f ! -name schema.d.ts ! -name '*.test.ts')
	cd ui && npm run build

$(DOCS_TOOLS): docs/package.json docs/package-lock.json docs/.npmrc
	cd docs && npm ci
	@touch $@

# The pages in docs/api are generated, except the introduction.
$(DOCS): $(DOCS_TOOLS) docs/openapi.json docs/api/index.md ui/public/icon.svg $(shell find docs \( -path docs/node_modules \
		-o -path docs/api -o -path docs/.vitepress/dist -o -path docs/.vitepress/cache \) -prune -o \
		-type f \( -name '*.md' -o -path 'docs/.vitepress/*' \) -print)
	cd docs && npm run build

clean: ## Remove everything that was built or installed
	rm -rf target node_modules scripts/openapi/node_modules ui/node_modules ui/dist docs/node_modules docs/.vitepress/dist docs/.vitepress/cache
	find docs/api -type f ! -name index.md -delete
