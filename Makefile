# Short names for what contributors run most. CONTRIBUTING.md explains each.
# M: a module (mpj-lite, mpj-lite/examples, logstore, tunnel, tunnel/testkit, ops, appliance/core, appliance/names, appliance/raft, appliance/launch, appliance, appliance/lab). T: a test class, or Class#method. N: a seed. F: a fuzz target. S: seconds.
.PHONY: build test verify long seed fuzz sbom format demo clean help

MVN := mvn -B -ntp -q
M := appliance
ONE := -pl $(M) -am -Dsurefire.failIfNoSpecifiedTests=false

help:
	@echo "make build | test M=tunnel [T=LinkWindowTest] | verify | long | seed T=CrashWorldTest N=4711 | fuzz M=mpj-lite F=org.posthouse.wire.FrameFuzz [S=60] | sbom | format | demo | clean"

build:
	$(MVN) -DskipTests package

# One test class, or all tests of a module.
test:
	$(MVN) $(ONE) $(if $(T),-Dtest='$(T)') verify

verify:
	mvn -B -ntp verify

long:
	mvn -B -ntp verify -Plong

# One world of a simulator, written down event by event in the test's output file.
seed:
	$(MVN) $(ONE) -Dtest='$(T)' -Dposthouse.seed=$(N) verify

# A fuzz target, guided by coverage. The build runs the same targets on seeded inputs.
fuzz:
	.ci/fuzz $(M) $(F) $(or $(S),60)

# What the relay consists of, in CycloneDX: appliance/target/posthouse.cdx.json. Needs the network.
sbom:
	$(MVN) -Psbom -DskipTests -pl appliance -am package

format:
	$(MVN) formatter:format

demo:
	./posthouse demo

clean:
	$(MVN) clean
