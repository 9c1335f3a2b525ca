package org.posthouse.ops;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.stream.Stream;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Shows the numbers of the relays' snapshots as meters named {@code posthouse_…}. Confined to the console's event loop,
 * except that a scrape on a worker reads the samples.
 *
 * <p>{@link #refresh} is called once per scrape, so all numbers of one scrape come from the same snapshots. Labels are
 * site, relay, direction and state only, never a rank or job, so the count of time series is bounded:
 * {@link #RELAYS_MAX} × 20. Meters of a relay that is gone are removed.
 */
final class RelayMeters {

    /** Relays of one process that are shown as meters. */
    static final int RELAYS_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(RelayMeters.class);
    private static final Set<String> LIVE = Set.of("STARTING", "RUNNING");
    private static final String MESSAGES = "messages: in from, out to ranks and links";
    private static final String BYTES = "payload bytes: in from, out to ranks and links";

    private final MeterRegistry registry;
    private final Map<RelayName, Sample> samples = new HashMap<>();
    private boolean limitTold;

    private record RelayName(String site, String relay) {}

    /** The newest status of one relay: written by the console's loop, read by scraping workers. */
    private static final class Sample {
        final List<Meter> meters = new ArrayList<>();
        volatile Overview.RelayStatus status;
        boolean logShown;

        Sample(Overview.RelayStatus status) {
            this.status = status;
        }

        RelaySnapshot relay() {
            return status.snapshot();
        }
    }

    RelayMeters(MeterRegistry registry) {
        this.registry = registry;
    }

    /** Makes this overview the one that the next scrape shows. */
    void refresh(Overview overview) {
        Set<RelayName> present = new HashSet<>();
        for (Overview.RelayStatus status : overview.relays()) {
            RelayName name = new RelayName(status.snapshot().site(), status.snapshot().relay());
            present.add(name);
            show(name, status);
        }
        for (RelayName name : List.copyOf(samples.keySet())) {
            if (!present.contains(name)) {
                samples.remove(name).meters.forEach(registry::remove);
            }
        }
    }

    /** Removes all meters. */
    void close() {
        refresh(new Overview(List.of()));
    }

    private void show(RelayName name, Overview.RelayStatus status) {
        Sample sample = samples.get(name);
        if (sample == null) {
            if (samples.size() >= RELAYS_MAX) {
                warnOnceOfLimit(name);
                return;
            }
            sample = new Sample(status);
            samples.put(name, sample);
            register(sample, tags(name));
        }
        sample.status = status;
        if (!sample.logShown && status.snapshot().log().isPresent()) {
            sample.logShown = true;
            registerLog(sample, tags(name));
        }
    }

    private void warnOnceOfLimit(RelayName name) {
        if (!limitTold) {
            limitTold = true;
            LOG.warn("relay {} of site {} has no meters: {} relays have, the limit", name.relay, name.site, RELAYS_MAX);
        }
    }

    private static Tags tags(RelayName name) {
        return Tags.of("site", name.site, "relay", name.relay);
    }

    private void register(Sample s, Tags tags) {
        Tags in = tags.and("direction", "in");
        Tags out = tags.and("direction", "out");
        counter(s, "posthouse.messages", in, MESSAGES, c -> c.counters().messagesIn());
        counter(s, "posthouse.messages", out, MESSAGES, c -> c.counters().messagesOut());
        counter(s, "posthouse.bytes", in, BYTES, c -> c.counters().bytesIn());
        counter(s, "posthouse.bytes", out, BYTES, c -> c.counters().bytesOut());
        counter(s, "posthouse.matched", tags, "receives matched with a message", c -> c.counters().matched());
        gauge(s, "posthouse.unexpected", tags, "messages that wait for a receive", c -> c.counters().unexpected());
        gauge(s, "posthouse.posted", tags, "receives that wait for a message", c -> c.counters().posted());
        gauge(s, "posthouse.credit.outstanding.bytes", tags, "credit handed out and not used",
                c -> c.counters().creditOutstanding());
        gauge(s, "posthouse.links", tags, "links the relay has, in any state", c -> c.links().size());
        gauge(s, "posthouse.links.up", tags, "links that carry messages", RelayMeters::linksUp);
        gauge(s, "posthouse.jobs", tags, "live jobs that the relay has ranks of", c -> live(c).count());
        gauge(s, "posthouse.start.time.seconds", tags, "start of the relay since 1970", c -> c.startedAt() / 1000.0);
        for (RankView.State state : RankView.State.values()) {
            gauge(s, "posthouse.ranks", tags.and("state", state.name().toLowerCase(Locale.ROOT)),
                    "ranks of live jobs whose home is this relay", c -> ranks(c, state));
        }
        s.meters.add(Gauge.builder("posthouse.ready", s, sample -> sample.status.readiness().ready() ? 1 : 0)
                .tags(tags).description("1 when the relay takes work").register(registry));
    }

    private void registerLog(Sample s, Tags tags) {
        gauge(s, "posthouse.log.position", tags, "records appended to the message log",
                c -> c.log().map(RelaySnapshot.LogView::position).orElse(0L));
        gauge(s, "posthouse.log.bytes", tags, "bytes the message log holds on disk",
                c -> c.log().map(RelaySnapshot.LogView::bytes).orElse(0L));
    }

    private void counter(Sample s, String name, Tags tags, String text, ToDoubleFunction<RelaySnapshot> value) {
        s.meters.add(FunctionCounter.builder(name, s, sample -> value.applyAsDouble(sample.relay()))
                .tags(tags).description(text).register(registry));
    }

    private void gauge(Sample s, String name, Tags tags, String text, ToDoubleFunction<RelaySnapshot> value) {
        s.meters.add(Gauge.builder(name, s, sample -> value.applyAsDouble(sample.relay()))
                .tags(tags).description(text).register(registry));
    }

    private static long linksUp(RelaySnapshot relay) {
        return relay.links().stream().filter(link -> link.state() == LinkView.State.UP).count();
    }

    /** Ranks of other relays may be in the snapshot as well; counting them here would count them twice. */
    private static long ranks(RelaySnapshot relay, RankView.State state) {
        return live(relay)
                .flatMap(job -> job.ranks().stream())
                .filter(rank -> rank.state() == state && rank.relay().equals(relay.relay()))
                .count();
    }

    /** A job that has ended stays in the snapshot for people to see; a rank that it lost is nothing to act on. */
    private static Stream<JobView> live(RelaySnapshot relay) {
        return relay.jobs().stream().filter(job -> LIVE.contains(job.state()));
    }
}
