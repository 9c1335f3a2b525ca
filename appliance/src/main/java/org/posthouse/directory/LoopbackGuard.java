package org.posthouse.directory;

import java.io.IOException;
import java.nio.channels.SocketChannel;
import org.posthouse.names.raft.PeerGuard;

/** Admits the connections of judges by the same proofs as those of group members ({@link GroupGuard}). Thread-safe. */
public final class LoopbackGuard implements PeerGuard {
    private final GroupGuard guard;

    /** @param config this relay, its keys, and the address at which others dial it */
    public LoopbackGuard(GroupConfig config) {
        guard = new GroupGuard(config);
        guard.joined(); // Refusals are reported from the beginning.
    }

    @Override
    public void accept(SocketChannel channel) throws IOException {
        guard.awaitRoom();
        guard.accept(channel);
    }

    @Override
    public void dial(SocketChannel channel) throws IOException {
        guard.dial(channel);
    }

    @Override
    public void expel() {
        guard.expel();
    }
}
