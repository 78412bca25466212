# Every job that .ci/run or a developer needs; no step needs anything but Go.

GO       ?= go
BINARIES := retro-scan retro-score retro-episode retro-render retro-leftovers
TOOL     := $(GO) tool -modfile=tools/go.mod
# Programs for tests and measurements; ./... leaves out what is below testdata.
TOOLS    := ./testdata/gen ./testdata/bench ./testdata/bench/allocs ./testdata/bench/empty

.PHONY: build test lint unit race judge update bench bench-go fuzz stress demo example quality clean

build: ## the five binaries, into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -buildid=" -o bin/ ./cmd/...

test: lint unit race ## everything that must hold before a commit

unit:
	$(GO) test ./... $(TOOLS)

race: ## the output is the same however many read, and in what pieces; with the race detector, which needs a C compiler
	@if command -v "$$($(GO) env CC | cut -d' ' -f1)" >/dev/null; then \
	  set -x; CGO_ENABLED=1 $(GO) test -race -run 'IsTheSame$$' ./pkg/cli/scan; \
	else echo "race: no C compiler here, passed over"; fi

lint: ## vet, format, a tidy go.mod, staticcheck
	$(GO) vet ./... $(TOOLS)
	@files=$$(gofmt -l cmd pkg testdata *.go); if [ -n "$$files" ]; then echo "gofmt: $$files"; exit 1; fi
	$(GO) mod tidy -diff
	$(TOOL) staticcheck ./... $(TOOLS)

judge: ## the library that the redaction rules come from judges ours; needs its modules
	cd pkg/redact/judge && $(GO) test -mod=mod ./...

stress: ## many writers at once and killed writers, for minutes
	RETRO_STRESS=1 $(GO) test -count=1 -timeout 20m -run 'Writers|HookProcesses' . ./pkg/store

update: ## rewrite goldens and scripts from what the code prints now; read the diff afterwards
	$(GO) test ./... -update

# Sets of synthetic transcripts of these sizes are made once, in .bench.
BENCH_SIZES ?= 10MB,100MB,1GB
bench: build ## one table: speed against the limit (finding line ends), allocations, memory, jq; hooks beside an empty program
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -buildid=" -o .bench/bin/ $(TOOLS)
	@.bench/bin/bench -sizes $(BENCH_SIZES)

BENCH_BYTES ?= 300000000
BENCH_DATA  := .bench/$(BENCH_BYTES)
$(BENCH_DATA):
	$(GO) run ./testdata/gen -out $@ -seed 1 -files 60 -total $(BENCH_BYTES) -large $$(($(BENCH_BYTES) / 5))

bench-go: $(BENCH_DATA) ## the benchmarks of single packages, for whoever works on them
	RETRO_BENCH=$(CURDIR)/$(BENCH_DATA) $(GO) test ./... -run '^$$' -bench . -benchtime 2x

FUZZTIME ?= 60s
fuzz: ## every fuzz target for FUZZTIME
	@for pkg in $$($(GO) list ./pkg/...); do \
	  for target in $$($(GO) test $$pkg -list '^Fuzz' | grep '^Fuzz'); do \
	    echo "$$pkg $$target"; \
	    $(GO) test $$pkg -run '^$$' -fuzz "^$$target\$$" -fuzztime $(FUZZTIME) -fuzzminimizetime 5x || exit 1; \
	  done; \
	done

example: build ## testdata/example/report.md anew, from the made-up project beside it
	rm -rf .bench/example
	sh testdata/example/make.sh .bench/example
	cd .bench/example/shop && PATH="$(CURDIR)/bin:$$PATH" && \
	  retro-scan --project . --projects-root ../projects --root . | retro-score --tee | retro-episode | retro-render > $(CURDIR)/testdata/example/report.md

demo: build ## the main job on the sample transcripts, and on your own if there are any
	@testdata/demo.sh

# Sessions that two readers judged; they are not part of the repository.
LABELLED ?= ../shared/cases/labelled
quality: build ## how often the gate is right, by labelled sessions: both profiles, cross-validated, and without each guard
	@PATH="$(CURDIR)/bin:$$PATH" sh testdata/quality.sh $(LABELLED)

clean:
	rm -rf bin .bench
