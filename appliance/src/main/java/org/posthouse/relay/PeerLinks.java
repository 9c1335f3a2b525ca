package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.vertx.core.Future;
import io.vertx.core.Promise;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.Collection;
import java.util.EnumSet;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.posthouse.audit.Lifecycle;
import org.posthouse.core.Job;
import org.posthouse.keys.SiteCertificate;
import org.posthouse.keys.SiteKeys;
import org.posthouse.ops.PeerQueries;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.shard.LinkOutage;
import org.posthouse.relay.shard.LinkedRelay;
import org.posthouse.relay.shard.Shard;
import org.posthouse.relay.shard.TrafficCounters;
import org.posthouse.relay.threads.FatalErrorExit;
import org.posthouse.status.KeysStatus;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.StreamStatus;
import org.posthouse.status.Traffic;
import org.posthouse.tunnel.LinkConfig;
import org.posthouse.tunnel.Links;
import org.posthouse.tunnel.forward.LoopbackConfig;
import org.posthouse.tunnel.socket.LinkRefusal;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.wire.BlockedReport;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.HomeRelay;
import org.posthouse.wire.WireException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Connects the shards to other relays, over the links of the tunnel. Confined to the relay's control strand. */
public final class PeerLinks implements Links.Listener {
    private static final Logger LOG = LoggerFactory.getLogger(PeerLinks.class);

    /** Frames for all cores of a relay, or for one that no rank of the frame names. */
    private static final Set<FrameType> FAILURES = EnumSet.of(FrameType.RANK_FAILED, FrameType.REVOKE, FrameType.AGREE, FrameType.AGREED);

    /**
     * Milliseconds after which a link that is down and that no job needs is released. If three relays a minute are
     * killed for good, a site has 180 such links; the limit is 192.
     */
    private static final long SILENT_MS_MAX = TimeUnit.HOURS.toMillis(1);

    /** Milliseconds from a job's first frame to a relay that was never linked to the end of the job. */
    private static final long CONTACT_MS_MAX = 8_000;

    private final Relay relay;
    private final ArrivedFrame arrived = new ArrivedFrame();
    private final InboundBatch visit = new InboundBatch();

    /** Pending waits for contact, each with its relay. */
    private final Map<Promise<Void>, String> contacts = new HashMap<>();

    private final Map<String, LinkedRelay> others = new HashMap<>();

    /** The traffic of links that were released. */
    private Traffic carriedBefore = Traffic.NONE;

    private final LinkOutages linkOutages;

    private final FirstUses firstUses = new FirstUses();

    /** The relay's context; waits complete on its loop. */
    private ContextInternal context;

    private Links links;
    private String host = "";

    /** Reaches the group's members over links; empty if they are reached otherwise. */
    private Optional<LoopbackConfig> loopback = Optional.empty();

    PeerLinks(Relay relay) {
        this.relay = relay;
        this.linkOutages = new LinkOutages(relay, (other, visitor) -> links.forEachUnacknowledged(other, visitor));
    }

    /** Creates the links; they carry nothing before {@link #start}. */
    void prepare(ContextInternal context, Optional<LinkConfig> config) {
        assert relay.inLoop();
        this.context = context;
        config.ifPresent(settings -> {
            host = settings.listenHost();
            loopback = settings.forwards().loopback();
            links = new Links(context, settings, this);
            links.queries().answerWith((other, query) -> answer(query));
            links.doors().open(RankStreams.DOOR, relay.rankStreams());
        });
    }

    /** Writing a large answer is a worker's job; the result comes back to the relay's context. */
    private Future<byte[]> answer(String query) {
        Promise<byte[]> answer = context.promise();
        context.executeBlocking(() -> PeerQueries.answer(relay.view(), query), false).compose(answered -> answered).onComplete(answer);
        return answer.future();
    }

    /**
     * Asks another relay ({@link PeerQueries}).
     *
     * @return its answer; fails with one line
     */
    Future<byte[]> ask(String other, String query) {
        return links == null ? Future.failedFuture(new IOException("relay " + relay.id() + " has no links")) : links.queries().ask(other, query);
    }

    /** Opens a stream to a door of another relay. If that is not possible, returns null and tells {@code listener} why. */
    LinkStream open(String other, String door, LinkStream.Listener listener) {
        Optional<String> noWay = noWay(List.of(other));
        if (noWay.isPresent()) {
            listener.onEnded(CloseReason.SITE_UNREACHABLE, noWay.get());
            return null;
        }
        return links.streams().open(other, door, listener);
    }

    Future<Void> start() {
        return links == null ? Future.succeededFuture() : links.start();
    }

    Future<Void> close() {
        return links == null ? Future.succeededFuture() : links.close();
    }

    int port() {
        return links == null ? 0 : links.port();
    }

    /** The address that other relays dial, as host:port; empty if they cannot. */
    String address() {
        return port() == 0 ? "" : HomeRelay.address(host, port());
    }

    /** Why this relay can never send to {@code others}; empty if it may. */
    Optional<String> noWay(Collection<String> others) {
        return links != null || others.isEmpty() ? Optional.empty()
                : Optional.of("no way to relays " + others + ": relay " + relay.id() + " has no links; start it with --keys and --peer or --links");
    }

    /** Completes when there was contact with all of {@code others}. */
    public Future<Void> contacted(Collection<String> others, long timeoutMs) {
        Optional<String> noWay = noWay(others);
        if (noWay.isPresent()) {
            return Future.failedFuture(noWay.get());
        }
        List<Future<Void>> waiting = new ArrayList<>();
        for (String other : Set.copyOf(others)) {
            if (!links.hasMet(other)) {
                waiting.add(contact(other, timeoutMs));
            }
        }
        return Future.all(waiting).mapEmpty();
    }

    /** On the relay's context, so that a timeout also completes on its loop. */
    private Future<Void> contact(String other, long timeoutMs) {
        Promise<Void> contact = context.promise();
        contacts.put(contact, other);
        return contact.future()
                .timeout(timeoutMs, TimeUnit.MILLISECONDS)
                .onComplete(over -> contacts.remove(contact))
                .recover(late -> Future.failedFuture(noLink(other, timeoutMs)));
    }

    private String noLink(String other, long timeoutMs) {
        return "no link to relay " + other + " within " + timeoutMs + " ms: " + stateOf(other);
    }

    /**
     * Called for each frame to a relay that was never linked with this one. The links keep it. At the first frame of a
     * job there the wait for the link begins.
     */
    private void onUnmetUse(String other, ByteBuf frame) {
        long id = LinkOutage.job(frame);
        if (links == null || !firstUses.add(other, id)) {
            return;
        }
        links.expect(other);
        OpenJob job = relay.jobs().job(id);
        if (job == null || !job.isOfThisProcess()) {
            return; // A job of the log may have been linked with that relay before.
        }
        LOG.info("{}: {} waits for the first link to relay {}", relay.id(), job, other);
        String first = shown(new FrameView().wrap(frame.nioBuffer(), 0));
        relay.loop().schedule(() -> relay.control().submit(() -> requireMet(job, other, first)), CONTACT_MS_MAX, TimeUnit.MILLISECONDS);
    }

    private static String shown(FrameView frame) {
        return switch (frame.type()) {
            case SEND, EAGER, OFFER -> "a message from rank " + frame.source() + " to rank " + frame.destination();
            default -> frame.type().toString();
        };
    }

    private void requireMet(OpenJob job, String other, String first) {
        if (relay.jobs().job(job.id()) == job && firstUses.contains(other, job.id()) && !links.hasMet(other)) {
            String why = job + " needs relay " + other + " for " + first + ", and there is " + noLink(other, CONTACT_MS_MAX);
            Shard shard = relay.shards().of(job.id(), 0);
            shard.strand().submit(() -> shard.core().failJob(job.id(), CloseReason.SITE_UNREACHABLE, why));
        }
    }

    /** Whether a job with ranks at {@code other} needs the link: it was up before, or the job has sent something there. */
    boolean isUsed(String other, long job) {
        return links == null || links.hasMet(other) || firstUses.contains(other, job);
    }

    /** Whether the link to {@code other} has been up. */
    boolean hasMet(String other) {
        return links == null || links.hasMet(other);
    }

    /** Whether a link to another relay of the job is down. */
    boolean isParted(OpenJob job) {
        return linkOutages.isParted(job);
    }

    /**
     * Keeps frames for these relays until they link. They were in contact before, perhaps with an earlier process of
     * this relay.
     */
    public void expect(Collection<String> others) {
        if (links != null) {
            others.forEach(links::expect);
        }
    }

    /** Discards what waits for links of a job that has ended here. */
    void forget(long job) {
        firstUses.forgetJob(job);
        if (links != null) {
            links.forget(job);
        }
    }

    private String stateOf(String other) {
        assert relay.inLoop();
        return links.status().stream()
                .filter(status -> status.peerRelay().equals(other))
                .findFirst()
                .filter(status -> !status.lastReason().isEmpty())
                .map(status -> status.state() + " " + status.lastReason())
                .orElse("it is no --peer of relay " + relay.id() + " and has not dialled it");
    }

    /** The relay with this id; created if needed. */
    public LinkedRelay other(String id) {
        assert relay.inLoop();
        LinkedRelay known = others.get(id);
        if (known == null) {
            known = new LinkedRelay(id, relay.shards().all(), relay.control(), links, frame -> onUnmetUse(id, frame));
            others.put(id, known);
            linkOutages.meets(known);
        }
        return known;
    }

    /**
     * The relay with this id; empty if there was no contact. Nothing is created, because others may name any number of
     * relays.
     */
    public Optional<LinkedRelay> known(String id) {
        return Optional.ofNullable(others.get(id));
    }

    @Override
    public boolean onFrame(String from, long number, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        assert relay.inLoop();
        LinkedRelay other = other(from);
        other.requireAnswersRead(view);
        try {
            FrameType type = view.type();
            other.flow().in(type, length);
            if (type == FrameType.BLOCKED || type == FrameType.MISMATCH) {
                visit.leave();
                stalled(other, type, BlockedReport.decode(ArrivedFrame.copy(buffer, index, length)));
            } else if (FAILURES.contains(type)) {
                visit.leave();
                failure(other, view, ArrivedFrame.copy(buffer, index, length));
            } else if (HostDetection.isDetection(type)) {
                visit.leave();
                relay.agents().detection().fromLink(type, ArrivedFrame.copy(buffer, index, length));
            } else {
                Shard shard = relay.shards().addressed(view);
                visit.enter(shard.strand(), length);
                return other.take(shard, number, arrived, buffer, index, length, view);
            }
        } catch (WireException e) {
            breach(other, view.job(), e);
        } catch (RuntimeException e) {
            // The fault is ours, not the peer's, but the link would bring the same frame again forever. The frame's
            // job fails, if that relay has ranks of it.
            LOG.error("{}: a frame from relay {} cannot be handled: {}", relay.id(), from, view, e);
            breach(other, view.job(), new WireException(CloseReason.INTERNAL, e.toString()));
        } catch (VirtualMachineError e) {
            FatalErrorExit.report(e);
            throw e;
        }
        return true;
    }

    @Override
    public void onReadEnd() {
        visit.leave();
    }

    /** Passes a report on blocked ranks to every shard, and a MISMATCH to the shard of its rank. */
    private void stalled(LinkedRelay other, FrameType type, BlockedReport blockedReport) {
        if (type == FrameType.BLOCKED) {
            relay.shards().each(shard -> shard.core().stalled(other.peer(shard), type, blockedReport));
        } else {
            Shard shard = relay.shards().of(blockedReport.job(), blockedReport.rank());
            shard.strand().submit(() -> shard.core().stalled(other.peer(shard), type, blockedReport));
        }
    }

    /** Passes a frame about failures to every shard, and an AGREE to that of rank 0, which it names. */
    private void failure(LinkedRelay other, FrameView view, ByteBuffer frame) {
        if (view.type() == FrameType.AGREE) {
            Shard shard = relay.shards().of(view.job(), view.source());
            shard.strand().submit(() -> shard.failure(other.peer(shard), Unpooled.wrappedBuffer(frame)));
        } else {
            relay.shards().each(shard -> shard.failure(other.peer(shard), Unpooled.wrappedBuffer(frame)));
        }
    }

    private void breach(LinkedRelay other, long job, WireException what) {
        Shard shard = relay.shards().of(job, 0);
        shard.strand().submit(() -> shard.core().breach(other.peer(shard), job, what));
    }

    @Override
    public void onUp(String other, long epoch) {
        assert relay.inLoop();
        Lifecycle.event(relay.id(), "link to relay " + other + " is up");
        relay.events().add("LINK_UP", "the link to relay " + other + " is up");
        loopback.ifPresent(service -> relay.directory().meet(service.endpointOf(other)));
        List.copyOf(contacts.keySet()).stream().filter(contact -> other.equals(contacts.get(contact))).forEach(Promise::tryComplete);
        other(other).onUp();
        firstUses.forgetRelay(other);
        linkOutages.onUp(other, System.nanoTime());
    }

    @Override
    public void onEpoch(long epoch) {
        relay.onEpoch(epoch);
    }

    @Override
    public void onDown(String other, CloseNotice why) {
        assert relay.inLoop();
        if (why.reason() == CloseReason.RELAY_STOPPING) {
            Lifecycle.event(relay.id(), "link to relay " + other + " is down: " + why.words());
        } else {
            LOG.warn("{}: link to relay {} is down: {}", relay.id(), other, why.words());
        }
        relay.events().add("LINK_DOWN", "the link to relay " + other + " is down: " + why.words());
        linkOutages.onDown(other, why.words(), System.nanoTime());
    }

    @Override
    public void onAcknowledged(String other, long frames) {
        other(other).onAcknowledged(frames);
    }

    @Override
    public void onForgotten(String other, List<ByteBuf> frames) {
        visit.leave();
        LOG.warn("{}: relay {} was restarted, or has let go of its link to this one, {} frames that it may not have handled", relay.id(), other, frames.size());
        other(other).onRestarted(frames);
    }

    /**
     * The traffic of the link to each relay that was linked, or that a job names as a home.
     */
    public Map<String, Traffic> carried() {
        Map<String, Traffic> carried = new HashMap<>();
        others.forEach((id, other) -> carried.put(id, other.flow().counts()));
        return carried;
    }

    /** The traffic of all links, including those that were released, so that the total never falls. */
    Traffic carriedInAll() {
        return others.values().stream().map(other -> other.flow().counts()).reduce(carriedBefore, Traffic::plus);
    }

    /** Forgets the other relay. If it connects again, it is a new one. */
    @Override
    public void onLetGo(String other, List<ByteBuf> frames) {
        visit.leave();
        LOG.info("{}: no job needs relay {}, which has stopped, was never here, or is silent: the link is let go of, with {} frames",
                relay.id(), other, frames.size());
        loopback.ifPresent(service -> relay.directory().miss(service.endpointOf(other)));
        firstUses.forgetRelay(other);
        LinkedRelay gone = others.remove(other);
        if (gone != null) {
            carriedBefore = carriedBefore.plus(gone.flow().counts());
            gone.onLetGo(frames);
        }
    }

    /** Number of connections that did not become a link, by kind. */
    Map<LinkRefusal, Long> refusals() {
        return links == null ? Map.of() : links.refusals();
    }

    /** Whether a certificate of this grid was revoked. */
    boolean isRevoked(SiteCertificate certificate) {
        return links.keys().isRevoked(certificate);
    }

    /** The site's keys in force; empty if there are no links. */
    Optional<SiteKeys> keysInForce() {
        return Optional.ofNullable(links).map(made -> made.keys().inForce());
    }

    /** The status of the keys of the links; empty if there are no links. */
    Optional<KeysStatus> keys() {
        return Optional.ofNullable(links).map(Links::keysStatus);
    }

    /** The status of the streams beside messages; empty if there are no links. */
    Optional<StreamStatus> streams() {
        return Optional.ofNullable(links).map(Links::streamStatus);
    }

    /**
     * Moves the lanes of other relays away from this gateway, or admits them again.
     *
     * @return number of lanes that go through this relay now; empty if it has no links
     */
    Optional<Integer> drain(boolean drain) {
        if (links == null) {
            return Optional.empty();
        }
        links.drain(drain);
        relay.events().add(drain ? "RELAY_DRAINED" : "RELAY_UNDRAINED", drain ? "other relays' lanes leave this relay" : "other relays' lanes may come again");
        return Optional.of(links.streamStatus().carried());
    }

    /**
     * Checks which links are down and which frames wait for them. Ends what has waited too long. Releases relays that
     * no job needs and that have stopped or are silent.
     */
    public void look() {
        if (links != null) {
            links.letGo(linkOutages::isNeeded, SILENT_MS_MAX);
            forgetUnlinked();
            linkOutages.look(links.status(), System.nanoTime());
        }
    }

    /** Forgets relays that jobs have named, and that were never linked. */
    private void forgetUnlinked() {
        for (String other : List.copyOf(others.keySet())) {
            if (!links.has(other) && !linkOutages.isNeeded(other)) {
                firstUses.forgetRelay(other);
                others.remove(other).onLetGo(List.of());
            }
        }
    }

    /** The status of the links. */
    public List<LinkStatus> status() {
        return links == null ? List.of() : links.status().stream().map(this::completed).toList();
    }

    /** Adds what the tunnel does not know: messages, waiting traffic, and the job that holds frames. */
    private LinkStatus completed(LinkStatus link) {
        LinkedRelay other = others.get(link.peerRelay());
        return link.with(
                other == null ? Traffic.NONE : other.flow().counts(),
                linkOutages.parked(link),
                link.held().isEmpty() ? heldAt(link, other) : link.held());
    }

    private String heldAt(LinkStatus status, LinkedRelay other) {
        return status.state() != LinkStatus.State.UP || other == null ? "" : held(other);
    }

    private String held(LinkedRelay other) {
        return other.held(System.nanoTime(), id -> {
            OpenJob job = relay.jobs().job(id);
            return job == null ? "job " + Job.hexId(id) : job.toString();
        });
    }
}
