package org.posthouse.bench.detectors;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.random.RandomGenerator;
import java.util.random.RandomGeneratorFactory;
import java.util.stream.IntStream;
import org.posthouse.detector.DetectorPort;
import org.posthouse.detector.DetectorProtocol;
import org.posthouse.detector.DetectorSettings;
import org.posthouse.detector.RoundSchedule;
import org.posthouse.detector.VerdictPort;
import org.posthouse.wire.DetectorMessage;

/**
 * The hosts of a job with their detectors, the relays of their sites and the launcher, in virtual time. The launcher is at
 * the first site; it tells views, and how long the rounds last already. What is lost, delayed and paused is drawn from a
 * seed.
 */
final class DetectorWorld {
    /** How often the launcher tells the views and the time. */
    private static final long TELL_NANOS = 10_000_000_000L;

    private final VirtualTime time = new VirtualTime();
    private final DetectorProtocol protocol;
    private final NetworkConditions conditions;
    private final long periodNanos;
    private final RandomGenerator random;
    private final List<SimulatedHost> hosts = new ArrayList<>();
    private final List<SimulatedRelay> relays = new ArrayList<>();

    private long viewRound;
    private int[] view;
    private long suspicions;
    private long falseSuspicions;
    private long falseVerdicts;

    /** When each host was told last that another is dead; -1 if it was not. */
    private final long[] noticedNanos;

    /** Hosts that their relay has fenced: it has no connection of theirs any more. */
    private final BitSet fenced = new BitSet();

    private long verdictNanos = -1;

    DetectorWorld(DetectorProtocol protocol, int count, long periodNanos, NetworkConditions conditions, long seed) {
        this.protocol = protocol;
        this.periodNanos = periodNanos;
        this.conditions = conditions;
        this.random = RandomGeneratorFactory.of("L64X128MixRandom").create(seed);
        this.view = IntStream.range(0, count).toArray();
        this.noticedNanos = new long[count];
        Arrays.fill(noticedNanos, -1);
        for (int site = 0; site < conditions.sites(); site++) {
            relays.add(new SimulatedRelay(time, random, conditions, periodNanos, new RelayEffects(site)));
        }
        for (int host = 0; host < count; host++) {
            DetectorSettings settings = new DetectorSettings(protocol, host, periodNanos, conditions.delayNanosMax(), true);
            int site = (int) ((long) host * conditions.sites() / count);
            hosts.add(new SimulatedHost(time, random, conditions, site, settings, new HostEffects(host)));
        }
        hosts.forEach(host -> tell(host, 0));
        time.at(0, this::tellOften);
    }

    // ---- what the bench does

    void runTo(long nanos) {
        time.runTo(nanos);
    }

    long now() {
        return time.now();
    }

    /** A host's power is off. */
    void kill(int host) {
        hosts.get(host).die();
    }

    RandomGenerator random() {
        return random;
    }

    // ---- what it measures

    /** Suspicions of hosts that live, by any host. */
    long falseSuspicions() {
        return falseSuspicions;
    }

    /** Suspicions, of hosts that live or not. */
    long suspicions() {
        return suspicions;
    }

    /** Verdicts against hosts that live. */
    long falseVerdicts() {
        return falseVerdicts;
    }

    /** Hosts that a relay has decided to be dead. */
    List<Integer> removed() {
        return fenced.stream().boxed().toList();
    }

    /** When a relay decided last that a host is dead; -1 if none has. */
    long verdictNanos() {
        return verdictNanos;
    }

    /** When the hosts that live were told last that another is dead; -1 for those that were not. */
    long[] noticedNanos() {
        return IntStream.range(0, hosts.size()).filter(host -> !hosts.get(host).isDead()).mapToLong(host -> noticedNanos[host]).toArray();
    }

    long messages() {
        return hosts.stream().mapToLong(SimulatedHost::messages).sum();
    }

    long bytes() {
        return hosts.stream().mapToLong(SimulatedHost::bytes).sum();
    }

    // ---- the network

    private long delay(int fromSite, int toSite) {
        long least = NetworkConditions.SITE_NANOS + (fromSite == toSite ? 0 : conditions.delayNanos());
        return (long) (least * (1 + NetworkConditions.JITTER * random.nextDouble()));
    }

    private void lossy(int fromSite, int toSite, PausableProcess to, Runnable action) {
        if (random.nextDouble() >= conditions.loss()) {
            time.after(delay(fromSite, toSite), () -> to.run(action));
        }
    }

    private void tellOften() {
        hosts.forEach(host -> tell(host, delay(0, host.site())));
        time.after(TELL_NANOS, this::tellOften);
    }

    private void tell(SimulatedHost host, long delayNanos) {
        long elapsed = time.now();
        long round = viewRound;
        int[] living = view;
        time.after(delayNanos, () -> host.run(() -> {
            host.synchronize(elapsed);
            host.view(round, living);
            host.tick();
        }));
    }

    private final class HostEffects implements DetectorPort {
        private final int self;

        HostEffects(int self) {
            this.self = self;
        }

        private int site() {
            return hosts.get(self).site();
        }

        @Override
        public void send(int host, DetectorMessage message) {
            hosts.get(self).count(message);
            SimulatedHost to = hosts.get(host);
            lossy(site(), to.site(), to, () -> to.onMessage(self, message));
        }

        @Override
        public void ask(int host) {
            int site = hosts.get(host).site();
            SimulatedRelay relay = relays.get(site);
            lossy(site(), site, relay, () -> {
                if (!fenced.get(host)) {
                    relay.onQuestion(self, host);
                }
            });
        }

        @Override
        public void onSuspected(int host) {
            suspicions++;
            falseSuspicions += hosts.get(host).isDead() ? 0 : 1;
        }

        @Override
        public void onRefuted(int host) {}
    }

    private final class RelayEffects implements VerdictPort {
        private final int site;

        RelayEffects(int site) {
            this.site = site;
        }

        @Override
        public void ping(long agent) {
            SimulatedHost host = hosts.get((int) agent);
            SimulatedRelay relay = relays.get(site);
            lossy(site, site, host, () -> lossy(site, site, relay, () -> relay.onHeard((int) agent)));
        }

        @Override
        public void onVerdict(long agent, boolean isDead) {
            SimulatedRelay relay = relays.get(site);
            int host = (int) agent;
            if (!isDead) {
                relay.takeAskers(agent).forEach(asker -> tellVerdict(asker, host, false));
                return;
            }
            relay.takeAskers(agent);
            fenced.set(host);
            verdictNanos = time.now();
            falseVerdicts += hosts.get(host).isDead() ? 0 : 1;
            hosts.get(host).die(); // Nothing that it does counts any more.
            for (int other = 0; other < hosts.size(); other++) {
                tellVerdict(other, host, true);
            }
            time.after(delay(site, 0), () -> remove(host));
        }

        private void tellVerdict(int to, int host, boolean isDead) {
            SimulatedHost told = hosts.get(to);
            time.after(delay(site, told.site()), () -> told.run(() -> {
                noticedNanos[to] = isDead ? time.now() : noticedNanos[to];
                told.onVerdict(host, isDead);
            }));
        }
    }

    /** The launcher has learned that a host is dead. */
    private void remove(int host) {
        int switchRounds = new RoundSchedule(protocol, view.length).switchRounds();
        viewRound = Math.max(viewRound, time.now() / periodNanos + switchRounds);
        view = Arrays.stream(view).filter(other -> other != host).toArray();
        hosts.forEach(each -> tell(each, delay(0, each.site())));
    }
}
