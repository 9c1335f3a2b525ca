package org.posthouse.ops;

import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Meter;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Tags;
import io.micrometer.core.instrument.noop.NoopMeter;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.function.ToDoubleFunction;
import java.util.function.ToIntFunction;
import java.util.stream.Stream;
import org.posthouse.status.JobStatus;
import org.posthouse.status.FollowerStatus;
import org.posthouse.status.KeysStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.NodeStatus;
import org.posthouse.status.RankStatus;
import org.posthouse.status.RelayMetrics;
import org.posthouse.status.RelayMetrics.Flow;
import org.posthouse.status.RelayStatus;
import org.posthouse.status.StreamStatus;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The meters of one relay, and its last status: written by the console's loop, read by scraping workers.
 *
 * <p>They are at most 133 (64 of histograms, 37 of refusals, 16 of shards, 16 of modes), 27 of states and gauges, 11 of streams, and for
 * each of at most {@link #LINKS_MAX} links 40, and 2 for each of its at most 8 lanes.
 */
final class RelayMeters {

    /** Links of a relay that are shown as meters. */
    static final int LINKS_MAX = 64;

    private static final Logger LOG = LoggerFactory.getLogger(RelayMeters.class);
    private static final String RANKS = "";
    private static final String JAVA = Runtime.version().toString();
    private static final String LINK = "link";

    private final MeterRegistry registry;
    private final MetricsPage.RelayName name;
    private final Tags tags;
    private final Map<String, Meter> meters = new HashMap<>();
    private final Set<String> links = new HashSet<>();
    private boolean limitTold;

    // Written by the console's loop, read by scraping workers.
    private volatile RelayStatus snapshot;
    private volatile Readiness readiness;
    private volatile RelayMetrics metrics;
    private volatile Map<FlowKey, Flow> flows = Map.of();
    private volatile Map<String, LinkStatus> linkViews = Map.of();

    private record FlowKey(String mode, String link) {}

    RelayMeters(MeterRegistry registry, MetricsPage.RelayName name) {
        this.registry = registry;
        this.name = name;
        this.tags = Tags.of("site", name.site(), "relay", name.relay());
    }

    MetricsPage.RelayName name() {
        return name;
    }

    RelayMetrics metrics() {
        return metrics;
    }

    /** Makes this what the next scrape shows, and adds meters for what was not there before. */
    void refresh(RelayStatus newSnapshot, Readiness newReadiness, RelayMetrics newMetrics) {
        snapshot = newSnapshot;
        readiness = newReadiness;
        metrics = newMetrics;
        Map<FlowKey, Flow> byKey = new HashMap<>();
        newMetrics.flows().forEach(flow -> byKey.put(new FlowKey(flow.mode(), flow.link()), flow));
        flows = byKey;
        Map<String, LinkStatus> byRelay = new HashMap<>();
        newSnapshot.links().forEach(link -> byRelay.put(link.peerRelay(), link));
        linkViews = byRelay;
        forgetLinksThatAreGone();
        showAll();
    }

    private void forgetLinksThatAreGone() {
        if (links.retainAll(linkViews.keySet())) {
            meters.values().removeIf(meter -> {
                String link = meter.getId().getTag(LINK);
                boolean gone = link != null && !links.contains(link);
                if (gone) {
                    registry.remove(meter);
                }
                return gone;
            });
        }
    }

    /** Removes its meters. */
    void remove() {
        meters.values().forEach(registry::remove);
    }

    private void showAll() {
        showState();
        showQueues();
        if (snapshot.log().isPresent()) {
            gauge("posthouse.log.position", tags, "records appended to the message log",
                    s -> s.snapshot.log().map(RelayStatus.Log::position).orElse(0L));
            gauge("posthouse.log.bytes", tags, "bytes the message log holds on disk",
                    s -> s.snapshot.log().map(RelayStatus.Log::bytes).orElse(0L));
            gauge("posthouse.log.pinned.bytes", tags, "bytes of the log's files that ranks of open jobs need",
                    s -> s.snapshot.log().map(RelayStatus.Log::pinnedBytes).orElse(0L));
            gauge("posthouse.log.limit.bytes", tags, "bytes that the message log may hold",
                    s -> s.snapshot.log().map(RelayStatus.Log::limitBytes).orElse(0L));
        }
        if (snapshot.keys().isPresent()) {
            showKeys();
        }
        if (snapshot.streams().isPresent()) {
            showStreams();
        }
        flows.keySet().forEach(this::showFlow);
        linkViews.forEach(this::showLink);
        metrics.refusals().keySet().forEach(reason -> counter("posthouse.refusals", tags.and("reason", reason),
                "connections of ranks and launchers closed for a fault", s -> s.metrics.refusals().getOrDefault(reason, 0L)));
        metrics.linkRefusals().keySet().forEach(kind -> counter("posthouse.link.refusals", tags.and("kind", kind),
                "connections that did not become a link", s -> s.metrics.linkRefusals().getOrDefault(kind, 0L)));
        metrics.groupRefusals().keySet().forEach(kind -> counter("posthouse.group.refusals", tags.and("kind", kind),
                "connections and postings of other members of the group that were refused", s -> s.metrics.groupRefusals().getOrDefault(kind, 0L)));
        for (int i = 0; i < metrics.queuedPeaks().size(); i++) {
            int shard = i;
            gauge("posthouse.strand.queued.peak", tags.and("shard", String.valueOf(shard)),
                    "most pieces of work that waited for a shard, in the last 10 to 20 seconds", s -> s.queuedPeak(shard));
        }
    }

    private void showState() {
        gauge("posthouse.build.info", tags.and("version", snapshot.version(), "java", JAVA), "always 1: the relay's version and its JVM's", s -> 1);
        gauge("posthouse.ready", tags, "1 when the relay takes work", s -> s.readiness.ready() ? 1 : 0);
        gauge("posthouse.start.time.seconds", tags, "start of the relay since 1970", s -> s.snapshot.startedAt() / 1000.0);
        gauge("posthouse.links", tags, "links the relay has, in any state", s -> s.snapshot.links().size());
        gauge("posthouse.links.up", tags, "links that carry messages", s -> s.linksUp());
        gauge("posthouse.jobs", tags, "live jobs that the relay has ranks of", s -> s.live().count());
        for (RankStatus.State state : RankStatus.State.values()) {
            gauge("posthouse.ranks", tags.and("state", state.name().toLowerCase(Locale.ROOT)),
                    "ranks of live jobs whose home is this relay", s -> s.ranks(state));
        }
        gauge("posthouse.nodes", tags, "agents of nodes that are connected", s -> s.snapshot.nodes().size());
        gauge("posthouse.node.slots", tags, "processes that the nodes run at most", s -> s.slots(NodeStatus::slots));
        gauge("posthouse.node.slots.free", tags, "slots of nodes that no job has reserved", s -> s.slots(NodeStatus::free));
        counter("posthouse.staged.bytes", tags.and("direction", "in"), "bytes of jobs' files from launchers", s -> s.metrics.staging().bytesIn());
        counter("posthouse.staged.bytes", tags.and("direction", "out"), "bytes of jobs' files to nodes", s -> s.metrics.staging().bytesOut());
        gauge("posthouse.stage.cache.bytes", tags, "bytes of jobs' files that the relay keeps", s -> s.metrics.staging().bytesStored());
        showDetectors();
        gauge("posthouse.connections", tags, "open connections of ranks and launchers", s -> s.metrics.connections());
        gauge("posthouse.connections.slow", tags, "connections whose readers have not read for a mebibyte",
                s -> s.metrics.connectionsSlow());
    }

    private void showDetectors() {
        String messages = "messages of failure detectors";
        counter("posthouse.detector.messages", tags.and("fate", "passed"), messages, s -> s.metrics.detectors().passed());
        counter("posthouse.detector.messages", tags.and("fate", "dropped"), messages, s -> s.metrics.detectors().dropped());
        counter("posthouse.detector.suspicions", tags, "checks of nodes that other hosts have found silent", s -> s.metrics.detectors().questions());
        String verdicts = "verdicts about silent nodes";
        counter("posthouse.detector.verdicts", tags.and("verdict", "lives"), verdicts, s -> s.metrics.detectors().living());
        counter("posthouse.detector.verdicts", tags.and("verdict", "dead"), verdicts, s -> s.metrics.detectors().dead());
        counter("posthouse.detector.false.verdicts", tags, "nodes that came back after the verdict that they are dead",
                s -> s.metrics.detectors().returned());
    }

    private int slots(ToIntFunction<NodeStatus> count) {
        return snapshot.nodes().stream().mapToInt(count).sum();
    }

    private void showKeys() {
        String end = "end of a certificate's validity, since 1970";
        gauge("posthouse.keys.not.after.seconds", tags.and("certificate", "site"), end, s -> s.keys(keys -> keys.notAfter() / 1e3));
        gauge("posthouse.keys.not.after.seconds", tags.and("certificate", "authority"), end, s -> s.keys(keys -> keys.authorityNotAfter() / 1e3));
        gauge("posthouse.keys.warnings", tags, "what is to be done about keys", s -> s.keys(keys -> keys.warnings().size()));
        gauge("posthouse.keys.revoked", tags, "certificates in the newest list of revoked ones", s -> s.keys(KeysStatus::revoked));
    }

    private void showStreams() {
        String bytes = "bytes of streams";
        gauge("posthouse.streams", tags, "streams over links that are open", s -> s.streams(StreamStatus::open));
        counter("posthouse.streams.opened", tags, "streams that were opened", s -> s.streams(StreamStatus::opened));
        counter("posthouse.streams.refused", tags, "streams that were refused", s -> s.streams(StreamStatus::refused));
        counter("posthouse.stream.bytes", tags.and("direction", "in"), bytes, s -> s.streams(StreamStatus::bytesIn));
        counter("posthouse.stream.bytes", tags.and("direction", "out"), bytes, s -> s.streams(StreamStatus::bytesOut));
        counter("posthouse.stream.waits", tags, "times that a stream used its last token", s -> s.streams(StreamStatus::waits));
        gauge("posthouse.stream.buffers.used", tags, "buffers taken or promised", s -> s.streams(StreamStatus::buffersUsed));
        gauge("posthouse.stream.buffers", tags, "buffers for what comes on streams", s -> s.streams(StreamStatus::buffers));
        gauge("posthouse.carried.lanes", tags, "lanes of other relays that go through this one", s -> s.streams(StreamStatus::carried));
        counter("posthouse.carried.bytes", tags, "bytes of these lanes", s -> s.streams(StreamStatus::bytesCarried));
        gauge("posthouse.drained", tags, "1 when other relays' lanes keep away", s -> s.streams(streams -> streams.drained() ? 1 : 0));
    }

    private void showQueues() {
        counter("posthouse.matched", tags, "receives matched with a message", s -> s.snapshot.counters().matched());
        counter("posthouse.stored", tags, "messages that had to wait for a receive", s -> s.metrics.messagesStored());
        counter("posthouse.pushed", tags, "messages sent to their ranks unasked", s -> s.metrics.messagesPushed());
        gauge("posthouse.followers", tags, "processes that follow ranks", RelayMeters::followers);
        gauge("posthouse.followers.behind", tags, "most deliveries and events that a follower was not sent yet", RelayMeters::behind);
        String fate = "what became of processes that followed ranks";
        counter("posthouse.followers.ended", tags.and("fate", "promoted"), fate, s -> s.metrics.followers().promoted());
        counter("posthouse.followers.ended", tags.and("fate", "lost"), fate, s -> s.metrics.followers().lost() - s.metrics.followers().diverged());
        counter("posthouse.followers.ended", tags.and("fate", "diverged"), fate, s -> s.metrics.followers().diverged());
        counter("posthouse.divergences", tags, "messages that restarted ranks would have sent otherwise than before", s -> s.metrics.divergences());
        gauge("posthouse.unexpected", tags, "messages that wait for a receive", s -> s.snapshot.counters().unexpected());
        gauge("posthouse.posted", tags, "receives that wait for a message", s -> s.snapshot.counters().posted());
        gauge("posthouse.credit.outstanding.bytes", tags, "credit handed out and not used",
                s -> s.snapshot.counters().creditOutstanding());
        gauge("posthouse.credit.outstanding.messages", tags, "credit handed out and not used",
                s -> s.snapshot.counters().creditMessages());
        gauge("posthouse.lines.waiting.bytes", tags, "bytes that wait to be written to ranks and launchers",
                s -> s.snapshot.counters().waitingBytes());
    }

    private void showFlow(FlowKey key) {
        if (!key.link.equals(RANKS) && !(linkViews.containsKey(key.link) && mayShow(key.link))) {
            return;
        }
        String prefix = key.link.equals(RANKS) ? "posthouse." : "posthouse.link.";
        String who = key.link.equals(RANKS) ? "ranks" : "other relays";
        Tags at = key.link.equals(RANKS) ? tags.and("mode", key.mode) : tags.and("mode", key.mode, LINK, key.link);
        Tags in = at.and("direction", "in");
        Tags out = at.and("direction", "out");
        counter(prefix + "messages", in, "messages from and to " + who, s -> s.flows.get(key).traffic().messagesIn());
        counter(prefix + "messages", out, "messages from and to " + who, s -> s.flows.get(key).traffic().messagesOut());
        counter(prefix + "bytes", in, "payload bytes from and to " + who, s -> s.flows.get(key).traffic().bytesIn());
        counter(prefix + "bytes", out, "payload bytes from and to " + who, s -> s.flows.get(key).traffic().bytesOut());
    }

    private void showLink(String link, LinkStatus now) {
        if (!mayShow(link)) {
            return;
        }
        Tags at = tags.and(LINK, link);
        Tags in = at.and("direction", "in");
        Tags out = at.and("direction", "out");
        gauge("posthouse.link.up", at, "1 when the link carries messages", s -> s.link(link, view -> view.state() == LinkStatus.State.UP ? 1 : 0));
        gauge("posthouse.link.round.trip.seconds", at, "last measured round trip", s -> s.link(link, view -> view.roundTripMicros() / 1e6));
        gauge("posthouse.link.waiting.bytes", at, "bytes that the peer has not acknowledged", s -> s.link(link, LinkStatus::waitingBytes));
        gauge("posthouse.link.lanes", at, "connections that carry the link", s -> s.link(link, LinkStatus::lanes));
        gauge("posthouse.link.hops", at, "relays that the first connection goes over", s -> s.link(link, LinkStatus::hops));
        counter("posthouse.link.moves", at, "times that another connection took over while the link was up", s -> s.link(link, LinkStatus::moves));
        gauge("posthouse.link.down.seconds", at, "for how long the link has been down; 0 while it is up", s -> s.downSeconds(link));
        gauge("posthouse.link.parked.messages", at, "messages that wait until the link is up again", s -> s.parked(link, LinkStatus.Parked::messages));
        gauge("posthouse.link.parked.bytes", at, "payload bytes of these messages", s -> s.parked(link, LinkStatus.Parked::bytes));
        gauge("posthouse.link.parked.ranks", at, "ranks that wait until the link is up again", s -> s.parked(link, LinkStatus.Parked::ranks));
        counter("posthouse.link.frames", in, "frames of links, repeated ones included", s -> s.link(link, LinkStatus::framesIn));
        counter("posthouse.link.frames", out, "frames of links, repeated ones included", s -> s.link(link, LinkStatus::framesOut));
        counter("posthouse.link.frame.bytes", in, "bytes of these frames", s -> s.link(link, LinkStatus::frameBytesIn));
        counter("posthouse.link.frame.bytes", out, "bytes of these frames", s -> s.link(link, LinkStatus::frameBytesOut));
        gauge("posthouse.link.packing", at, "1 when large frames of the link go packed", s -> s.link(link, view -> view.packing().on() ? 1 : 0));
        counter("posthouse.link.packed.before.bytes", at, "bytes of frames that went packed, as they were",
                s -> s.link(link, view -> view.packing().bytesBefore()));
        counter("posthouse.link.packed.after.bytes", at, "bytes that went in their place", s -> s.link(link, view -> view.packing().bytesAfter()));
        counter("posthouse.link.packing.samples", at, "frames packed only to see whether it would pay", s -> s.link(link, view -> view.packing().samples()));
        counter("posthouse.link.frames.repeated", at, "frames written again after a cut", s -> s.link(link, LinkStatus::framesRepeated));
        String bytes = "bytes of streams over the link";
        String tokens = "frames that may be sent on streams of the link";
        gauge("posthouse.link.streams", at, "streams over the link that are open", s -> s.link(link, view -> view.streams().open()));
        counter("posthouse.link.stream.bytes", in, bytes, s -> s.link(link, view -> view.streams().bytesIn()));
        counter("posthouse.link.stream.bytes", out, bytes, s -> s.link(link, view -> view.streams().bytesOut()));
        gauge("posthouse.link.stream.tokens", in, tokens, s -> s.link(link, view -> view.streams().tokensIn()));
        gauge("posthouse.link.stream.tokens", out, tokens, s -> s.link(link, view -> view.streams().tokensOut()));
        now.perLane().forEach(lane -> showLane(link, lane.lane()));
    }

    private void showLane(String link, int lane) {
        Tags at = tags.and(LINK, link, "lane", String.valueOf(lane));
        String bytes = "bytes of one lane of the link";
        counter("posthouse.link.lane.bytes", at.and("direction", "in"), bytes, s -> s.lane(link, lane, LinkStatus.Lane::bytesIn));
        counter("posthouse.link.lane.bytes", at.and("direction", "out"), bytes, s -> s.lane(link, lane, LinkStatus.Lane::bytesOut));
    }

    private boolean mayShow(String link) {
        if (links.contains(link)) {
            return true;
        }
        if (links.size() < LINKS_MAX) {
            return links.add(link);
        }
        if (!limitTold) {
            limitTold = true;
            LOG.warn("link {} of relay {} has no meters: {} links have, the limit", link, name.relay(), LINKS_MAX);
        }
        return false;
    }

    private void counter(String meter, Tags labels, String text, ToDoubleFunction<RelayMeters> value) {
        meters.computeIfAbsent(meter + labels, unseen -> kept(FunctionCounter.builder(meter, this, value).tags(labels).description(text).register(registry)));
    }

    private void gauge(String meter, Tags labels, String text, ToDoubleFunction<RelayMeters> value) {
        meters.computeIfAbsent(meter + labels, unseen -> kept(Gauge.builder(meter, this, value).tags(labels).description(text).register(registry)));
    }

    /** Null if the registry has no room for it now: it is asked again with the next refresh. */
    private static Meter kept(Meter registered) {
        return registered instanceof NoopMeter ? null : registered;
    }

    private double keys(ToDoubleFunction<KeysStatus> value) {
        return snapshot.keys().map(value::applyAsDouble).orElse(0.0);
    }

    private double streams(ToDoubleFunction<StreamStatus> value) {
        return snapshot.streams().map(value::applyAsDouble).orElse(0.0);
    }

    private double link(String relay, ToDoubleFunction<LinkStatus> value) {
        LinkStatus view = linkViews.get(relay);
        return view == null ? 0 : value.applyAsDouble(view);
    }

    private double lane(String relay, int number, ToDoubleFunction<LinkStatus.Lane> value) {
        return link(relay, view -> view.perLane().stream().filter(lane -> lane.lane() == number).mapToDouble(value).sum());
    }

    private double parked(String relay, ToDoubleFunction<LinkStatus.Parked> value) {
        return link(relay, view -> view.parked().map(value::applyAsDouble).orElse(0.0));
    }

    private Stream<FollowerStatus> allFollowers() {
        return snapshot.jobs().stream().flatMap(job -> job.ranks().stream()).flatMap(rank -> rank.followers().stream());
    }

    private double followers() {
        return allFollowers().count();
    }

    private double behind() {
        return allFollowers().mapToLong(FollowerStatus::behind).max().orElse(0);
    }

    private double downSeconds(String relay) {
        return parked(relay, parked -> Math.max(0, System.currentTimeMillis() - parked.since()) / 1e3);
    }

    private double queuedPeak(int shard) {
        List<Integer> peaks = metrics.queuedPeaks();
        return shard < peaks.size() ? peaks.get(shard) : 0;
    }

    private long linksUp() {
        return snapshot.links().stream().filter(link -> link.state() == LinkStatus.State.UP).count();
    }

    /** Ranks of other relays may be in the snapshot as well; counting them here would count them twice. */
    private long ranks(RankStatus.State state) {
        return live()
                .flatMap(job -> job.ranks().stream())
                .filter(rank -> rank.state() == state && rank.relay().equals(name.relay()))
                .count();
    }

    private Stream<JobStatus> live() {
        return snapshot.jobs().stream().filter(JobStatus::live);
    }
}
