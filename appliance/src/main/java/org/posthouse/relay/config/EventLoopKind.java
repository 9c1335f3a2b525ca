package org.posthouse.relay.config;

import io.netty.channel.IoHandlerFactory;
import io.netty.channel.SelectStrategyFactory;
import io.netty.channel.epoll.EpollIoHandler;
import io.netty.channel.nio.NioIoHandler;
import io.vertx.core.impl.transports.EpollTransport;
import io.vertx.core.impl.transports.NioTransport;
import io.vertx.core.transport.Transport;
import java.nio.channels.spi.SelectorProvider;

/**
 * The sockets of a relay's event loops, and how the loops wait.
 *
 * @param sockets the kind of the sockets
 * @param busyPollUs microseconds for which a loop polls before it sleeps; 0 for none
 */
public record EventLoopKind(SocketKind sockets, int busyPollUs) {
    /** Loops that sleep, over the sockets that are best on this system. */
    public static final EventLoopKind DEFAULT = new EventLoopKind(SocketKind.AUTO, 0);

    /** Leaves the number of events per poll to Netty. */
    private static final int EVENTS_AT_ONCE = 0;

    /** @throws IllegalArgumentException in one line, if these sockets cannot be polled */
    public EventLoopKind {
        if (busyPollUs > 0 && sockets == SocketKind.IO_URING) {
            throw new IllegalArgumentException("--busy-poll " + busyPollUs + " goes with --transport nio or epoll, not io_uring");
        }
    }

    public Transport transport() {
        if (busyPollUs == 0) {
            return sockets.transport();
        }
        SelectStrategyFactory polling = () -> new BusyPoll(busyPollUs, System::nanoTime);
        return new Polling(sockets.transport(), sockets == SocketKind.EPOLL ? epoll(polling) : nio(polling));
    }

    private static NioTransport nio(SelectStrategyFactory polling) {
        return new NioTransport() {
            @Override
            public IoHandlerFactory ioHandlerFactory() {
                return NioIoHandler.newFactory(SelectorProvider.provider(), polling);
            }
        };
    }

    private static EpollTransport epoll(SelectStrategyFactory polling) {
        return new EpollTransport() {
            @Override
            public IoHandlerFactory ioHandlerFactory() {
                return EpollIoHandler.newFactory(EVENTS_AT_ONCE, polling);
            }
        };
    }

    /** Vert.x's transport with polling loops. */
    private record Polling(Transport usual, io.vertx.core.spi.transport.Transport implementation) implements Transport {
        @Override
        public String name() {
            return usual.name();
        }

        @Override
        public boolean available() {
            return usual.available();
        }

        @Override
        public Throwable unavailabilityCause() {
            return usual.unavailabilityCause();
        }
    }
}
