package org.posthouse.core;

/** An equal share of a relay's pool for unexpected messages, for a core that shares nothing. Confined to the core. */
final class OwnUnexpectedPool implements UnexpectedPool {
    private final int messagesMax;
    private final long bytesMax;
    private int messages;
    private long bytes;

    OwnUnexpectedPool(CoreConfig config, int cores) {
        messagesMax = Math.max(1, config.storedMessagesMaxTotal() / cores);
        bytesMax = config.unexpectedBytesTotal() / cores;
    }

    @Override
    public boolean takeLogged() {
        boolean taken = messages < messagesMax;
        messages += taken ? 1 : 0;
        return taken;
    }

    @Override
    public void takeRestored() {
        messages++;
    }

    @Override
    public void giveBackLogged(int count) {
        messages -= count;
    }

    @Override
    public boolean takeBytes(long count) {
        boolean taken = bytes + count <= bytesMax;
        bytes += taken ? count : 0;
        return taken;
    }

    @Override
    public void giveBackBytes(long count) {
        bytes -= count;
    }
}
