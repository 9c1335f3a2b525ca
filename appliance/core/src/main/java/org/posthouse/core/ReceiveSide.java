package org.posthouse.core;

import java.util.function.Consumer;

/**
 * The receive side of a rank: its mailbox, and what it is being sent. The counterpart of {@link SendSide}. Confined to
 * the relay core.
 */
public final class ReceiveSide {
    private final Mailbox mailbox;
    private final ReceiveState receiveState = new ReceiveState();
    private int unreadAnswers;
    private int ahead;
    private long aheadBytes;

    /** @param size number of ranks of the job */
    ReceiveSide(int size) {
        this.mailbox = new Mailbox(size);
    }

    public Mailbox mailbox() {
        return mailbox;
    }

    ReceiveState state() {
        return receiveState;
    }

    /** Visits each message from {@code source} that is here in part, or offered and unmatched. */
    void forEachOpen(int source, Consumer<Message> visitor) {
        receiveState.arriving().stream().filter(message -> message.source() == source).forEach(visitor);
        mailbox.forEachOffer(source, message -> {
            if (message.isComplete() && !message.isAhead()) {
                visitor.accept(message);
            }
        });
    }

    /** The message from {@code source} if it is here in part, or offered and unmatched; else null. */
    Message openMessage(int context, int source, long sequence) {
        Message message = receiveState.arriving(new TransferId(context, source, sequence));
        return message == null ? mailbox.offer(context, source, sequence) : message;
    }

    /** Undelivered messages for it whose senders have their credit back. */
    int ahead() {
        return ahead;
    }

    /** Memory that they take in bytes; 0 if the log holds them. */
    long aheadBytes() {
        return aheadBytes;
    }

    void countAhead(int change, long bytes) {
        ahead += change;
        aheadBytes += bytes;
    }

    /** Counts an answer to a rank that is slow to read. Returns how many there are since it last was not. */
    int countUnreadAnswer() {
        return ++unreadAnswers;
    }

    void clearUnreadAnswers() {
        unreadAnswers = 0;
    }

    /** Releases all messages that wait. */
    void release() {
        mailbox.drain(Message::release);
        receiveState.forget();
    }
}
