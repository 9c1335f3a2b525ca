package org.posthouse.tunnel.forward;

import io.netty.channel.Channel;
import io.netty.channel.ChannelFuture;
import io.netty.channel.ChannelInitializer;
import io.vertx.core.net.HostAndPort;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.posthouse.status.StreamStatus;
import org.posthouse.tunnel.stream.LinkStream;
import org.posthouse.tunnel.stream.StreamAcceptor;
import org.posthouse.wire.CloseReason;

/** The doors of a relay: names by which other relays reach addresses through it. Confined to the relay's context. */
final class ForwardTargets implements StreamAcceptor {
    private final String relay;
    private final ForwardSockets sockets;
    private final Map<String, String> targets;
    private final Map<String, Forward> doors = new TreeMap<>();

    ForwardTargets(String relay, ForwardSockets sockets, Map<String, String> targets) {
        this.relay = relay;
        this.sockets = sockets;
        this.targets = targets;
        targets.keySet().forEach(name -> doors.put(name, new Forward(name)));
    }

    /**
     * A stream to an unknown door, or to one whose address cannot be reached, is refused at once with the door's name.
     */
    @Override
    public void onAsked(LinkStream stream, String name) {
        assert sockets.loop().inEventLoop();
        Forward door = doors.get(name);
        if (door == null) {
            stream.end(CloseReason.SITE_UNREACHABLE, "relay " + relay + " has no door \"" + name + "\", its doors are " + doors.keySet());
            return;
        }
        HostAndPort target = ForwardConfig.parse(targets.get(name));
        sockets.client(new ChannelInitializer<>() {
            @Override
            protected void initChannel(Channel channel) {
                channel.pipeline().addLast(new StreamPump(channel));
            }
        })
                .connect(target.host(), target.port())
                .addListener(connected -> onConnected(stream, door, (ChannelFuture) connected));
    }

    private void onConnected(LinkStream stream, Forward door, ChannelFuture connected) {
        Channel channel = connected.channel();
        if (!connected.isSuccess()) {
            String why = "door " + door.name() + " of relay " + relay + " leads to " + targets.get(door.name())
                    + ", which cannot be reached: " + connected.cause().getMessage();
            door.refused(why);
            stream.end(CloseReason.SITE_UNREACHABLE, why);
        } else if (stream.state() == LinkStream.State.ASKED) {
            door.opened();
            channel.closeFuture().addListener(closed -> door.closed());
            StreamPump pump = channel.pipeline().get(StreamPump.class);
            stream.accept(pump);
            pump.join(stream);
        } else {
            channel.close();
        }
    }

    List<StreamStatus.Forward> status() {
        return doors.values().stream()
                .map(door -> door.status(targets.get(door.name()), StreamStatus.Forward.State.DOOR))
                .toList();
    }
}
