package org.posthouse.directory;

import com.hazelcast.core.HazelcastException;
import com.hazelcast.core.HazelcastInstanceNotActiveException;
import com.hazelcast.internal.cluster.impl.ClusterTopologyChangedException;
import com.hazelcast.nio.ObjectDataInput;
import com.hazelcast.nio.ObjectDataOutput;
import com.hazelcast.nio.serialization.StreamSerializer;
import com.hazelcast.spi.exception.RetryableException;
import com.hazelcast.spi.exception.RetryableHazelcastException;
import com.hazelcast.spi.exception.TargetNotMemberException;
import java.io.IOException;

/**
 * Serialises failures between members without Java serialisation.
 *
 * <p>Hazelcast answers a call that must be retried with an exception, which it serialises with Java's mechanism by
 * default. A member that reads no such data would lose the answer. The call would then hang for twice the call timeout
 * (20 s, measured while a third member joined).
 *
 * <p>The properties on which Hazelcast acts are kept: whether to retry, and whether with the same operation or a new
 * one. The registration of a listener names the member list for which it was made; with an old list it would be refused
 * for two minutes. Everything else becomes text.
 */
final class FailureSerializer implements StreamSerializer<Throwable> {
    static final int TYPE = 7411;

    private static final byte OTHER = 0;
    private static final byte RETRYABLE = 1;
    private static final byte TARGET_NOT_MEMBER = 2;
    private static final byte NOT_ACTIVE = 3;
    private static final byte MEMBERS_CHANGED = 4;

    @Override
    public int getTypeId() {
        return TYPE;
    }

    @Override
    public void write(ObjectDataOutput out, Throwable failure) throws IOException {
        out.writeByte(kind(failure));
        out.writeString(failure.toString());
    }

    private static byte kind(Throwable failure) {
        return switch (failure) {
            case TargetNotMemberException e -> TARGET_NOT_MEMBER;
            case HazelcastInstanceNotActiveException e -> NOT_ACTIVE;
            case ClusterTopologyChangedException e -> MEMBERS_CHANGED;
            case RetryableException e -> RETRYABLE;
            default -> OTHER;
        };
    }

    @Override
    public Throwable read(ObjectDataInput in) throws IOException {
        byte kind = in.readByte();
        String text = "at another member: " + in.readString();
        return switch (kind) {
            case TARGET_NOT_MEMBER -> new TargetNotMemberException(text);
            case NOT_ACTIVE -> new HazelcastInstanceNotActiveException(text);
            case MEMBERS_CHANGED -> new ClusterTopologyChangedException(text);
            case RETRYABLE -> new RetryableHazelcastException(text);
            default -> new HazelcastException(text);
        };
    }
}
