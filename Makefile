# Every job that .ci/run or a developer needs; no step needs anything but Go.

GO       ?= go
BINARIES := retro-scan retro-score retro-episode retro-render retro-leftovers
TOOL     := $(GO) tool -modfile=tools/go.mod

.PHONY: build test lint unit judge update bench fuzz stress demo quality clean

build: ## the five binaries, into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -buildid=" -o bin/ ./cmd/...

test: lint unit ## everything that must hold before a commit

unit:
	$(GO) test ./...

lint: ## vet, format, a tidy go.mod, staticcheck
	$(GO) vet ./...
	@files=$$(gofmt -l cmd pkg *.go); if [ -n "$$files" ]; then echo "gofmt: $$files"; exit 1; fi
	$(GO) mod tidy -diff
	$(TOOL) staticcheck ./...

judge: ## the library that the redaction rules come from judges ours; needs its modules
	cd pkg/redact/judge && $(GO) test ./...

update: ## rewrite goldens and scripts from what the code prints now; read the diff afterwards
	$(GO) test ./... -update

clean:
	rm -rf bin .bench
