# ngx_artifact_module
#
#   make              build/ngx_artifact_module.so for the installed nginx
#   make run          sample data and an nginx on 127.0.0.1:8080 (PORT=)
#   make stop         stops that nginx
#   make demo         twenty screenshots through a real LLM gateway, as they are
#                     and as stand-ins: what that costs it, and what arrives
#   make config       a configuration of your own with packaging/presets, in
#                     build/config (PREFIX=), tried once (CONFIG="--tenant acme")
#   make test         every test
#   make check        a test of each folder, in less than a minute
#   make test-store   with real stores (STORES="ceph swift gluster cephfs")
#   make test-gateway more tests with real LLM gateways behind nginx
#   make test-clients more agent frameworks and public MCP servers
#   make asan         every test, under address and undefined sanitizers
#   make tsan         the tests of writes, under a thread sanitizer
#   make oom          requests with each of their allocations failing in turn
#   make fuzz         each fuzz target for FUZZ_TIME=60 seconds (FUZZ=name)
#   make bench        routed answers against static files, writes in large
#                     workspaces and against dav, as ratios; how long other
#                     requests wait for large ones; with OLD=path/of/its.so
#                     also the processor time against another build's
#   make soak         twenty clients for SOAK_SECONDS=600, with reloads
#   make bench-core   GB/s of base64, UTF-8 and JSON, by vector instructions
#   make bench-gateways  media through real LLM gateways, with stand-ins and
#                     without (GATEWAYS="name=http://127.0.0.1:4000,PID ..")
#   make bench-charsets  how many texts in other charsets are read rightly
#   make matrix       builds for the installed nginx, those of other Debian suites
#                     (VERSIONS=) and the sources of NGINX_SRC=, tests with each
#                     (TESTS=), prints a table, and without TESTS= puts it into
#                     docs/versions.md; with NGINX_TESTS= also nginx's own
#   make versions     the same with a few tests, not linked in, with no other
#                     modules, for the suites that the machine has not
#   make compilers    compiles with clang, with gcc and -O3, and for musl
#   make nginx-tests  nginx's own tests, in NGINX_TESTS=, with the module loaded
#                     and without it
#   make deb          the Debian packages, of the module and of the converter, in
#                     build/deb
#   make test-deb     builds them twice, has lintian look at them, installs, uses,
#                     upgrades and removes them in a bare Debian 12 or
#                     SUITE=trixie (as root)
#   make test-fresh   in a bare Debian 12 or SUITE=trixie (as root): a clone of the
#                     last commit, "make run", and .ci/run or, with TESTS=, these
#                     tests
#   make test-arch    src/core's tests for other processors, under qemu, and the
#                     module compiled for them (ARCHS="arm64 s390x armhf")
#   make test-docker  packaging/docker's steps in a bare Debian 12 or
#                     SUITE=trixie (as root), then its entrypoint and nginx
#   make record       what users see of the module, into OUT=, to be compared when
#                     its structure is changed (scripts/outside.pl)
#   make lint         static analysis, with clang-tidy and cppcheck
#   make figures      lines, functions, includes and circles of src
#   make docs-table   the table of docs/formats.md, from the code
#   make clean
#
# NGINX_SRC=   another nginx source tree to build against; NGINX_FLAGS= its
#              configure flags (by default those of Debian's nginx-dev)


ifeq ($(origin CC),default)
CC = gcc
endif

NGINX_SRC ?= /usr/share/nginx/src
NGINX_FLAGS ?=
PORT ?= 8080
SUITE ?= bookworm
FUZZ_TIME ?= 60
FUZZ ?=
OLD ?=
SOAK_SECONDS ?= 600
BENCH_ROUNDS ?= $(if $(OLD),1,5)
BENCH_SECONDS ?= $(if $(OLD),1,2)
GATEWAY_SECONDS ?= 8
JOBS ?= $(shell nproc 2>/dev/null || echo 1)

# more tests at once than processors, since they wait now and then; the longest
# one comes first, or it would be the only one at the end

PROVE_JOBS ?= 3
TESTS ?= t/tree/unit.t $(filter-out t/tree/unit.t,$(sort $(wildcard t/*/*.t)))

# the files of tests of these names; prove complains of one that is not there

tests = $(foreach name,$(1),$(or $(wildcard t/*/$(name).t),t/$(name).t))

# the shortest way to see that nothing large is broken: a test of each folder

CHECK = $(call tests,unit style raw route expand_bytes message derive_route \
	offload sandwich mcp_read files put capabilities directives neighbours)

# nginx adds -W -Wall -Wpointer-arith -Werror

MODULE_CFLAGS ?= -g -O2 -fPIC -fstack-protector-strong -Wformat \
	-Werror=format-security -D_FORTIFY_SOURCE=2
MODULE_LDFLAGS ?= -Wl,-z,relro -Wl,-z,now -fPIC

CORE_CFLAGS = -std=gnu99 -g -O2 -W -Wall -Wextra -Wconversion \
	-Wpointer-arith -Werror -Isrc

TEST_CFLAGS = $(CORE_CFLAGS) -It/unit

# the folders that ngx_core.h needs: event/quic since 1.25

STORE_CFLAGS = -std=gnu99 -g -O2 -W -Wall -Wextra -Wconversion \
	-Wpointer-arith -Wno-unused-parameter -Werror -Isrc \
	$(patsubst %,-isystem $(abspath $(NGINX_SRC))/src/%, \
	    core event event/quic os/unix) -isystem build/nginx

# the folder of the core's objects and programs, and additional flags: the
# sanitizer and fuzz builds have their own folders

ART_DIR ?= build
ART_CFLAGS ?=

MODULE = build/ngx_artifact_module.so
NGX_BUILD = $(CURDIR)/build/nginx
SOURCES := $(wildcard src/*/*/*.[ch] src/*.map generated/*.c)

CORE_SRCS := $(wildcard src/core/*/*.c)
CORE_OBJS := $(CORE_SRCS:src/core/%.c=$(ART_DIR)/core/%.o)
CORE = $(ART_DIR)/core.a
STORE_SRCS := $(wildcard src/store/*/*.c)
STORE_OBJS := $(STORE_SRCS:src/store/%.c=build/store/%.o)
UNIT_SRCS := $(wildcard t/unit/*/*/test_*.c)
UNITS := $(UNIT_SRCS:t/unit/%.c=$(ART_DIR)/unit/%)
FUZZ_SRCS := $(wildcard t/fuzz/*/*/fuzz_*.c)
FUZZERS := $(FUZZ_SRCS:t/fuzz/%.c=$(ART_DIR)/%)

# gcc warns about conversions in its own sanitizer code

SAN_CFLAGS = -O1 -fno-omit-frame-pointer -fsanitize=address,undefined \
	-fno-sanitize-recover=undefined -Wno-conversion -Wno-sign-conversion

# tests with nginx's threads; the programs of t/tree/unit.t have only one each

TSAN_TESTS = $(call tests,control_folder delete front_turns layout \
	listing_deep listing_written metadata_threads offload offload_copies \
	offload_fails offload_kept offload_markers offload_once \
	texts long_texts front_slots sandwich \
	post_artifact precondition put put_body put_errors write_begun \
	write_busy write_clock write_durable write_metadata write_open_files \
	write_reload write_rights write_torture)

FUZZ_CFLAGS = -O1 -fno-omit-frame-pointer \
	-fsanitize=fuzzer-no-link,address,undefined \
	-fno-sanitize-recover=undefined

# a make without -j uses all processors, one with -j passes that on

SUBMAKE = $(MAKE) --no-print-directory \
	$(if $(findstring -j,$(MAKEFLAGS)),,-j$(JOBS))


.PHONY: all deps core-check store-check unit-programs fuzz-programs run stop \
	test asan tsan oom fuzz bench bench-core matrix lint figures \
	docs-table clean FORCE
.DELETE_ON_ERROR:


all: build/nginx/configured
	+@$(SUBMAKE) -s -C $(abspath $(NGINX_SRC)) \
	    -f $(NGX_BUILD)/Makefile modules
	@cmp -s $(NGX_BUILD)/ngx_artifact_module.so $(MODULE) \
	|| { cp $(NGX_BUILD)/ngx_artifact_module.so $(MODULE).tmp \
	     && mv -f $(MODULE).tmp $(MODULE) && echo "built $(MODULE)"; }

build/nginx/configured: $(CURDIR)/config build/inputs $(wildcard \
		$(NGINX_SRC)/src/core/nginx.h $(NGINX_SRC)/conf_flags)
	@CC='$(CC)' scripts/configure.sh '$(abspath $(NGINX_SRC))' \
	    '$(NGX_BUILD)' '$(MODULE_CFLAGS)' '$(MODULE_LDFLAGS)' $(NGINX_FLAGS)
	@touch $@

# the names of the sources and all arguments of configure; rewritten only if
# something has changed, so that a new file runs configure again

build/inputs: FORCE
	@mkdir -p build
	@printf '%s\n' $(SOURCES) 'src: $(abspath $(NGINX_SRC))' \
	    'build: $(NGX_BUILD)' 'cc: $(CC)' \
	    'flags: $(NGINX_FLAGS)' 'cflags: $(MODULE_CFLAGS)' \
	    'ldflags: $(MODULE_LDFLAGS)' > $@.tmp
	@cmp -s $@.tmp $@ && rm -f $@.tmp || mv -f $@.tmp $@


# the core alone: without nginx's headers, with stricter warnings

core-check: $(CORE_OBJS)
	@:

# the store alone: with nginx's core and events, without HTTP's headers

store-check: build/nginx/configured $(STORE_OBJS)
	@:

build/store/%.o: src/store/%.c Makefile | build/nginx/configured
	@mkdir -p $(@D)
	@echo "compiling $@"
	@$(CC) $(STORE_CFLAGS) -MMD -MP -c -o $@ $<

unit-programs: $(UNITS)
	@:

fuzz-programs: $(FUZZERS)
	@:

$(ART_DIR)/core/%.o: src/core/%.c Makefile
	@mkdir -p $(@D)
	@echo "compiling $@"
	@$(CC) $(CORE_CFLAGS) $(ART_CFLAGS) -MMD -MP -c -o $@ $<

# linked in a fraction of the time that all objects take

$(CORE): $(CORE_OBJS)
	@rm -f $@
	@$(AR) rcs $@ $^

$(ART_DIR)/unit/%: t/unit/%.c $(CORE) Makefile
	@mkdir -p $(@D)
	@echo "compiling $@"
	@$(CC) $(TEST_CFLAGS) $(ART_CFLAGS) -MMD -MP -MF $@.d -MT $@ \
	    -o $@ $< $(CORE) -ljansson -luchardet -lcrypto -lz

$(ART_DIR)/bench_%: bench/%.c $(CORE) Makefile
	@mkdir -p $(@D)
	@echo "compiling $@"
	@$(CC) $(TEST_CFLAGS) $(ART_CFLAGS) -MMD -MP -MF $@.d -MT $@ \
	    -o $@ $< $(CORE) -ljansson -luchardet -lcrypto -lz

$(FUZZERS): $(ART_DIR)/%: t/fuzz/%.c $(CORE) Makefile
	@mkdir -p $(@D)
	@echo "compiling $@"
	@$(CC) $(TEST_CFLAGS) $(ART_CFLAGS) -fsanitize=fuzzer \
	    -MMD -MP -MF $@.d -MT $@ -o $@ $< $(CORE) -ljansson -luchardet \
	    -lcrypto -lz

$(ART_DIR)/formats-table: scripts/formats-table.c $(CORE) Makefile
	@mkdir -p $(@D)
	@echo "compiling $@"
	@$(CC) $(CORE_CFLAGS) $(ART_CFLAGS) -MMD -MP -MF $@.d -MT $@ \
	    -o $@ $< $(CORE) -ljansson -luchardet -lcrypto -lz

docs-table: $(ART_DIR)/formats-table
	@scripts/docs-table.pl formats.md $<

.SECONDARY: $(CORE_OBJS)

-include $(CORE_OBJS:.o=.d) $(STORE_OBJS:.o=.d) $(UNITS:=.d) $(FUZZERS:=.d) \
	$(ART_DIR)/bench_core.d $(ART_DIR)/bench_charsets.d \
	$(ART_DIR)/formats-table.d


deps:
	@scripts/deps.sh test

run:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh run
	+@$(SUBMAKE) all
	@scripts/run.sh start '$(MODULE)' $(PORT)

stop:
	@scripts/run.sh stop

.PHONY: demo
demo:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh demo
	+@$(SUBMAKE) all
	@node scripts/demo.mjs "$$(PATH=$$PATH:/usr/sbin command -v nginx)" \
	    '$(MODULE)' build/gateway

# the file "config" is the module's, for nginx

.PHONY: config
config: PREFIX ?= build/config
config:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh run
	+@$(SUBMAKE) all
	@packaging/artifact-init --prefix '$(PREFIX)' $(CONFIG)

test:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh test
	+@$(SUBMAKE) all core-check store-check
	@TEST_NGINX_MODULE='$(CURDIR)/$(MODULE)' prove -j$(PROVE_JOBS) $(TESTS)

.PHONY: check
check: TESTS = $(CHECK)
check: export TEST_QUICK = 1
check: test

.PHONY: test-store
test-store: STORES ?= ceph swift gluster cephfs
test-store:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh test
	@scripts/store-deps.sh $(STORES)
	+@$(SUBMAKE) all
	@perl scripts/store-test.pl $(STORES)

.PHONY: test-gateway
test-gateway:
	@NGINX_SRC='$(NGINX_SRC)' TEST_GATEWAY=full scripts/deps.sh test
	+@$(SUBMAKE) all
	@TEST_NGINX_MODULE='$(CURDIR)/$(MODULE)' TEST_GATEWAY=full \
	prove -v t/clients/gateway_portkey.t t/clients/gateway_light.t

.PHONY: test-clients
test-clients:
	@NGINX_SRC='$(NGINX_SRC)' TEST_CLIENTS=full scripts/deps.sh test
	+@$(SUBMAKE) all
	@TEST_NGINX_MODULE='$(CURDIR)/$(MODULE)' TEST_CLIENTS=full \
	prove -v t/clients/clients.t t/expand/argument_sdk.t

asan:
	@scripts/deps.sh asan
	+@scripts/asan.sh
	+@$(SUBMAKE) ART_DIR=build/asan ART_CFLAGS='$(SAN_CFLAGS)' unit-programs
	@ART_DIR=build/asan ART_CFLAGS='$(SAN_CFLAGS)' CC='$(CC)' \
	scripts/asan.sh prove -j$(PROVE_JOBS) $(TESTS)

tsan: TESTS = $(TSAN_TESTS)
tsan:
	@scripts/deps.sh asan
	+@SANITIZER=tsan scripts/asan.sh
	@SANITIZER=tsan scripts/asan.sh prove -j$(PROVE_JOBS) $(TESTS)

# answers when memory is short

oom:
	@scripts/deps.sh asan
	+@scripts/oom.sh

fuzz:
	@scripts/deps.sh fuzz
	+@$(SUBMAKE) CC=clang ART_DIR=build/fuzz ART_CFLAGS='$(FUZZ_CFLAGS)' \
	    fuzz-programs
	@scripts/fuzz.sh $(FUZZ_TIME) $(FUZZ)

bench: BENCH = BENCH_OLD='$(abspath $(OLD))' \
	BENCH_RATIOS=build/bench.ratios perl
bench:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh bench
	+@$(SUBMAKE) all
	@rm -f build/bench.ratios
	@$(BENCH) bench/run.pl $(BENCH_ROUNDS) $(BENCH_SECONDS)
	@$(BENCH) bench/writes.pl $(BENCH_ROUNDS)
	@$(if $(OLD),:,$(BENCH) bench/files.pl $(BENCH_ROUNDS))
	@perl bench/sign.pl $(BENCH_SECONDS)
	@perl bench/fold.pl $(BENCH_ROUNDS) $(if $(OLD),'$(abspath $(OLD))') \
	    '$(CURDIR)/$(MODULE)'
	@perl bench/stalls.pl $(BENCH_ROUNDS)
	@$(BENCH) bench/expand.pl $(BENCH_ROUNDS)
	@perl bench/standins.pl $(BENCH_ROUNDS)
	@perl bench/status.pl

.PHONY: soak
soak:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh test
	+@$(SUBMAKE) all
	@perl bench/soak.pl $(SOAK_SECONDS)

.PHONY: bench-gateways
bench-gateways:
	@NGINX_SRC='$(NGINX_SRC)' TEST_GATEWAY=full scripts/deps.sh demo
	+@$(SUBMAKE) all
	@node bench/gateways.mjs \
	    "$$(PATH=$$PATH:/usr/sbin command -v nginx)" '$(MODULE)' build \
	    $(GATEWAY_SECONDS) $(GATEWAYS)

bench-core: $(ART_DIR)/bench_core
	@$<

.PHONY: bench-charsets
bench-charsets: $(ART_DIR)/bench_charsets
	@perl bench/charsets.pl $<

# One run is enough for tests that start no nginx, for a module with one more API,
# and for tests of other programs: what SDKs, agents, a gateway, a browser and
# Prometheus make of answers whose bytes other tests compare with every version.

ONCE = $(call tests,docs docs_limits docs_table links new_api style unit sdk \
	sdk_page expand_sdk extract_sdk gateway_portkey gateway_light clients \
	clients_texts decoders inspector_page own_matrix status_prometheus dashboard)

# a test of most that nginx has for the module: files, bodies, subrequests,
# filters, upstreams, caches, threads, connections

QUICK = $(call tests,cache derive_route expand files http2 mcp_read \
	metadata_threads offload post_artifact proxy put route sign_url status)

VERSIONS ?= installed trixie sid

matrix: TESTS = $(filter-out $(ONCE),$(wildcard t/*/*.t))
matrix:
	@NGINX_SRC= scripts/deps.sh matrix
	@TESTS='$(TESTS)' NGINX_FLAGS='$(NGINX_FLAGS)' scripts/matrix.sh \
	    $(VERSIONS) $(if $(filter-out file,$(origin NGINX_SRC)), \
	    $(abspath $(NGINX_SRC))); status=$$?; \
	$(if $(filter file,$(origin TESTS)), \
	    scripts/docs-table.pl versions.md scripts/versions-table.pl \
	    || status=1;) exit $$status

.PHONY: versions
versions: TESTS = $(QUICK)
versions: VERSIONS = trixie sid
versions:
	@scripts/deps.sh test
	@TESTS='$(TESTS)' BUILDS=dynamic MODULES= scripts/matrix.sh $(VERSIONS)

.PHONY: compilers
compilers:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh compilers
	@NGINX_SRC='$(abspath $(NGINX_SRC))' scripts/compilers.sh

.PHONY: nginx-tests
nginx-tests:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh run
	+@$(SUBMAKE) all
	@scripts/nginx-tests.pl

.PHONY: deb test-deb
deb:
	@scripts/deps.sh deb
	@scripts/deb.sh

test-deb:
	@scripts/deps.sh bare
	@SUITE='$(SUITE)' scripts/deb-test.sh

.PHONY: test-fresh
test-fresh: TESTS =
test-fresh:
	@scripts/deps.sh bare
	@SUITE='$(SUITE)' scripts/fresh.sh $(if $(TESTS),make test TESTS='$(TESTS)')

.PHONY: test-docker
test-docker:
	@scripts/deps.sh bare
	@SUITE='$(SUITE)' scripts/docker-test.sh

.PHONY: test-arch
test-arch: ARCHS ?= arm64 s390x armhf
test-arch:
	@scripts/deps.sh arch
	@NGINX_SRC='$(abspath $(NGINX_SRC))' scripts/arch.sh $(ARCHS)

# a stamp for each file in which clang-tidy has found nothing; LINT_NODES: how
# deeply it looked

LINT_MARKS := $(patsubst src/%.c,build/lint$(LINT_NODES)/%.tidy, \
	$(wildcard src/*/*/*.c))
LINT = NGINX_SRC='$(abspath $(NGINX_SRC))' scripts/lint.sh

lint:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh lint
	+@$(SUBMAKE) -k lint-src
	@echo "no findings"

.PHONY: lint-src
lint-src: $(LINT_MARKS) $(addprefix lint-cppcheck-,core store http)

build/lint$(LINT_NODES)/%.tidy: src/%.c scripts/lint.sh \
		$(wildcard $(NGINX_SRC)/src/core/nginx.h) | build/nginx/configured
	@$(LINT) tidy $< $@

lint-cppcheck-%: | build/nginx/configured
	@$(LINT) cppcheck $*

-include $(LINT_MARKS:=.d)

figures:
	@scripts/figures.pl

.PHONY: record
record: OUT ?= build/outside
record:
	@NGINX_SRC='$(NGINX_SRC)' scripts/deps.sh test
	+@$(SUBMAKE) all
	@TESTS='$(TESTS)' PROVE_JOBS='$(PROVE_JOBS)' scripts/outside.pl record '$(OUT)'

clean:
	@[ ! -d build/run ] || scripts/run.sh stop
	rm -rf build
