package org.posthouse.tunnel.stream;

import io.netty.buffer.ByteBuf;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Consumer;
import org.posthouse.status.LinkStatus;
import org.posthouse.status.StreamStatus;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.WireException;

/** The streams of all links of a relay, and the buffers that they share. Confined to the relay's context. */
public final class Streams {
    /** Idle time in milliseconds after which a stream returns its lent tokens. */
    private static final int IDLE_MS = 1_000;

    /** Receives changes in the reachability of relays. */
    public interface Reach {
        /** The link to {@code relay} is up, or no longer up. */
        void onReach(String relay, boolean up);
    }

    private final String own;
    private final StreamLinks links;
    private final StreamBuffers buffers;
    private final StreamCounters tally = new StreamCounters();
    private final Map<String, LinkStreams> byLink = new TreeMap<>();
    private final Map<String, Boolean> up = new HashMap<>();
    private final List<Reach> watchers = new ArrayList<>();
    private StreamAcceptor doors = (stream, door) -> stream.end(CloseReason.SITE_UNREACHABLE, "no door is open yet");
    private ScheduledFuture<?> idleTimer;

    /**
     * @param own this relay's id
     *
     * @param links the links that carry the streams
     */
    public Streams(String own, StreamLinks links, StreamConfig config) {
        this.own = own;
        this.links = links;
        this.buffers = new StreamBuffers(config);
    }

    /** @param doors handles streams from other relays from now on */
    public void lead(StreamAcceptor doors) {
        this.doors = doors;
    }

    public void watch(Reach watcher) {
        watchers.add(watcher);
    }

    /**
     * Opens a stream to a door of another relay. If that is not possible, returns null and tells {@code listener} why.
     */
    public LinkStream open(String relay, String door, LinkStream.Listener listener) {
        if (!isUp(relay)) {
            tally.refused();
            listener.onEnded(CloseReason.SITE_UNREACHABLE, "the link to relay " + relay + " is not up");
            return null;
        }
        return of(relay).open(door, listener);
    }

    public boolean isUp(String relay) {
        return up.getOrDefault(relay, false);
    }

    /** A new pipe between streams of two links. */
    public StreamPipe pipe() {
        return new StreamPipe(tally);
    }

    public StreamStatus status(boolean drained, List<StreamStatus.Forward> forwards) {
        return tally.status(buffers, drained, forwards);
    }

    /** Status of the streams over the link to {@code relay}. */
    public LinkStatus.Streams statusOf(String relay) {
        LinkStreams streams = byLink.get(relay);
        return streams == null ? LinkStatus.Streams.NONE : streams.status();
    }

    public void onFrame(String relay, ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        of(relay).onFrame(buffer, index, length, view);
    }

    public void onUp(String relay) {
        reach(relay, true);
    }

    public void onDown(String relay) {
        reach(relay, false);
        each(relay, LinkStreams::onLinkDown);
    }

    /** {@code relay} has handled the next stream frames. */
    public void onAcknowledged(String relay, long frames) {
        each(relay, streams -> streams.onAcknowledged(frames));
    }

    public void onWritable(String relay) {
        each(relay, LinkStreams::onWritable);
    }

    public void onForgotten(String relay) {
        each(relay, streams -> streams.endAll(CloseReason.SITE_UNREACHABLE, "relay " + relay + " was restarted"));
    }

    /** The link to {@code relay} was dropped, because that relay has stopped or is silent. */
    public void onLetGo(String relay) {
        each(relay, streams -> streams.endAll(CloseReason.SITE_UNREACHABLE, "relay " + relay + " has stopped, or is silent"));
        byLink.remove(relay);
        up.remove(relay);
    }

    /** Called when this relay stops. */
    public void close() {
        if (idleTimer != null) {
            idleTimer.cancel(false);
        }
        byLink.values().forEach(streams -> streams.endAll(CloseReason.RELAY_STOPPING, "this relay stops"));
    }

    private void reach(String relay, boolean isUp) {
        up.put(relay, isUp);
        watchers.forEach(watcher -> watcher.onReach(relay, isUp));
    }

    private void each(String relay, Consumer<LinkStreams> action) {
        LinkStreams streams = byLink.get(relay);
        if (streams != null) {
            action.accept(streams);
        }
    }

    private LinkStreams of(String relay) {
        return byLink.computeIfAbsent(relay, unseen -> {
            watchIdle();
            return new LinkStreams(
                    own, relay, new Port(relay), (stream, door) -> doors.onAsked(stream, door), buffers, tally);
        });
    }

    private void watchIdle() {
        if (idleTimer == null) {
            idleTimer = links.after(IDLE_MS, this::handOverIdle);
        }
    }

    private void handOverIdle() {
        byLink.values().forEach(LinkStreams::handOverIdle);
        idleTimer = links.after(IDLE_MS, this::handOverIdle);
    }

    private final class Port implements LinkStreams.Port {
        private final String relay;

        private Port(String relay) {
            this.relay = relay;
        }

        @Override
        public void send(ByteBuf frame) {
            links.send(relay, frame);
        }

        @Override
        public boolean writable() {
            return links.takesStreams(relay);
        }
    }
}
