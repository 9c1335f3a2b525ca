package org.posthouse.relay;

import org.posthouse.relay.threads.StrandExecutor;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.tunnel.stream.StreamAcceptor;
import org.posthouse.wire.ChannelBinding;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.WireException;

/**
 * The streams by which processes of ranks reach the rank's home over another relay of the job (docs/links.md, "Ranks over other relays").
 * The relay that a process is connected to opens one ({@link PassedSession}); the home serves it as a connection of its own, which has
 * proven nothing yet. Confined to the relay's control strand.
 */
final class RankStreams implements StreamAcceptor {
    /** Begins the names of these doors; the {@link ChannelBinding} of the process's connection follows. */
    static final String DOOR = "rank";

    /**
     * Most connections that are passed on and have not been welcomed at the home: a quarter of the streams of a relay
     * ({@code --streams}, 64 by default). So clients that prove nothing leave streams to others.
     */
    static final int UNPROVEN_MAX = 16;

    private final Relay relay;
    private int unproven;

    RankStreams(Relay relay) {
        this.relay = relay;
    }

    /** The name of the door for a connection over this channel. */
    static String door(ChannelBinding channel) {
        return DOOR + " " + channel.words();
    }

    /** Counts a connection that is about to be passed on. @return false if there are too many that have not been welcomed */
    boolean tryBegin() {
        assert relay.inLoop();
        if (unproven == UNPROVEN_MAX) {
            return false;
        }
        unproven++;
        return true;
    }

    /** A connection that was counted is welcomed, or has ended before. */
    void welcomed() {
        assert relay.inLoop();
        unproven--;
    }

    @Override
    public void onAsked(LinkStream stream, String door) {
        assert relay.inLoop();
        try {
            accept(stream, ChannelBinding.parse(door.substring(DOOR.length() + 1)));
        } catch (WireException e) {
            stream.end(e.reason(), e.getMessage());
        }
    }

    private void accept(LinkStream stream, ChannelBinding channel) {
        StreamByteSink sink = new StreamByteSink(relay.loop(), stream);
        stream.accept(sink);
        Connection connection = relay.accept(sink, StrandExecutor.confined(relay.loop()));
        connection.passedOn(channel);
        sink.serve(connection);
    }
}
