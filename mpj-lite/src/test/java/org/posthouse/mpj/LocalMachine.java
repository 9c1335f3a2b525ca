package org.posthouse.mpj;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.util.Optional;
import java.util.function.Function;
import org.posthouse.mpj.channel.Platform;

/** This process's own machine, but for its connections past a port. */
public record LocalMachine(Function<InetSocketAddress, Optional<SocketChannel>> local) implements Platform {
    @Override
    public SocketChannel socket() throws IOException {
        return REAL.socket();
    }

    @Override
    public Optional<SocketChannel> connectLocally(InetSocketAddress relay) {
        return local.apply(relay);
    }

    @Override
    public long nanoTime() {
        return REAL.nanoTime();
    }

    @Override
    public void sleep(long ms) throws InterruptedException {
        REAL.sleep(ms);
    }

    @Override
    public boolean isCollective() {
        return REAL.isCollective();
    }
}
