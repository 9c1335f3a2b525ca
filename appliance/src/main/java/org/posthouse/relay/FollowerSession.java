package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.util.ArrayList;
import java.util.List;
import org.posthouse.core.FollowerPort;
import org.posthouse.core.HomedRank;
import org.posthouse.core.Refusal;
import org.posthouse.core.RelayCore;
import org.posthouse.core.TransferId;
import org.posthouse.relay.io.ArrivedFrame;
import org.posthouse.relay.shard.Shard;
import org.posthouse.wire.CloseNotice;
import org.posthouse.wire.CloseReason;
import org.posthouse.wire.Confirmed;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Promoted;
import org.posthouse.wire.StatePage;
import org.posthouse.wire.Welcome;
import org.posthouse.wire.WireException;

/**
 * The session of a process that follows a rank. Once it is promoted, it is the session of the rank. Confined to its shard's strand.
 *
 * <p>Nothing that a follower is sent has to pass the output gate, except confirmations: its history is safe when the core has it.
 */
final class FollowerSession extends RankSession implements FollowerPort {
    private final Connection connection;
    private final long job;
    private boolean leads;

    FollowerSession(Shard shard, Connection connection, Hello hello) {
        super(shard, connection, hello);
        this.connection = connection;
        this.job = hello.job();
    }

    @Override
    void connect(RelayCore core, Hello hello, List<StatePage.Entry> state) throws Refusal {
        core.follow(hello, state, this);
    }

    @Override
    public void welcome(HomedRank admitted, Welcome welcome, List<StatePage.Entry> entries) {
        greet(admitted, welcome.encode(), entries);
    }

    @Override
    public void promoted(Welcome welcome, List<StatePage.Entry> state) {
        leads = true;
        withhold();
        greet(rank(), Promoted.of(welcome).encode(), state);
    }

    @Override
    public void confirmed(List<TransferId> messages) {
        List<Confirmed.Message> confirmed = new ArrayList<>(messages.size());
        messages.forEach(message -> confirmed.add(new Confirmed.Message(message.context(), message.peer(), message.sequence())));
        whenSafe(() -> {
            if (leads) {
                return; // It was told with PROMOTED what is known.
            }
            for (int from = 0; from < confirmed.size(); from += Confirmed.MESSAGES_MAX) {
                write(new Confirmed(job, confirmed.subList(from, Math.min(confirmed.size(), from + Confirmed.MESSAGES_MAX))).encode());
            }
        });
    }

    @Override
    void askMove(ModeSwitch change) {
        if (leads) {
            super.askMove(change);
        } else if (rank() != null) {
            connection.close(CloseNotice.closing(job, CloseReason.MOVED, "follow again over another connection"));
        }
    }

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        FrameType type = view.type();
        if (!leads && (type == FrameType.NAME_ASK || type == FrameType.JOB_JOIN)) {
            throw new WireException(CloseReason.NOT_EXPECTED, type + " from a follower of " + rank());
        }
        super.onFrame(buffer, index, length, view);
    }

    @Override
    void take(ArrivedFrame frame) throws WireException {
        if (leads) {
            super.take(frame);
        } else {
            core().fromFollower(rank(), this, frame);
        }
    }

    @Override
    public boolean mustWait(FrameView view) {
        return leads && super.mustWait(view);
    }

    @Override
    public void onWritable() {
        if (leads) {
            super.onWritable();
        } else if (rank() != null) {
            core().writable(rank(), this);
        }
    }

    @Override
    public void close(CloseNotice why) {
        if (leads) {
            super.close(why);
        } else {
            connection.close(why);
        }
    }

    @Override
    public String toString() {
        return leads || rank() == null ? super.toString() : "a follower of " + rank();
    }
}
