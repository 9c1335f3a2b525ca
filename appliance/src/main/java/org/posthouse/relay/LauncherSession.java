package org.posthouse.relay;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import org.posthouse.core.Job;
import org.posthouse.core.JobWatch;
import org.posthouse.core.JournalFull;
import org.posthouse.core.Refusal;
import org.posthouse.logstore.LogException;
import org.posthouse.tunnel.FrameSocket;
import org.posthouse.wire.FrameType;
import org.posthouse.wire.FrameView;
import org.posthouse.wire.Hello;
import org.posthouse.wire.Home;
import org.posthouse.wire.JobEvent;
import org.posthouse.wire.JobOpen;
import org.posthouse.wire.Notice;
import org.posthouse.wire.Reason;
import org.posthouse.wire.Wire;
import org.posthouse.wire.WireException;

/**
 * A connected launcher: opens jobs, hears of their ranks, ends them. Its jobs end with its connection. Confined to the
 * event loop.
 */
final class LauncherSession implements Session, JobWatch {
    private static final int STATUS_ORPHANED = 143;

    private final Relay relay;
    private final FrameSocket socket;
    private final Set<Long> jobs = new LinkedHashSet<>();

    private LauncherSession(Relay relay, FrameSocket socket) {
        this.relay = relay;
        this.socket = socket;
    }

    /** Checks the relay's token and answers with the relays of the directory. */
    static LauncherSession open(Relay relay, FrameSocket socket, Hello hello) throws WireException {
        if (!relay.settings().launchToken().matches(hello.token())) {
            throw new WireException(
                    Reason.WRONG_TOKEN, "the launcher's token is not that of relay " + relay.id() + "; see --token-file");
        }
        socket.write(relay.welcomeLauncher().encode());
        return new LauncherSession(relay, socket);
    }

    @Override
    public void onFrame(ByteBuf buffer, int index, int length, FrameView view) throws WireException {
        switch (view.type()) {
            case JOB_OPEN -> open(JobOpen.decode(Connection.copy(buffer, index, length)));
            case JOB_CLOSE -> close(view.job(), Notice.decode(Connection.copy(buffer, index, length)));
            case CLOSE -> socket.cut(Notice.decode(Connection.copy(buffer, index, length)));
            default -> throw new WireException(Reason.NOT_EXPECTED, view.type() + " from a launcher");
        }
    }

    /** Opens the job once every other site it spans has been in contact, so that no message finds no way. */
    private void open(JobOpen opening) {
        List<String> others = opening.homes().stream()
                .map(Home::site)
                .filter(site -> !site.equals(relay.settings().site()))
                .toList();
        relay.contacted(others)
                .onSuccess(contacted -> openNow(opening))
                .onFailure(cause -> socket.close(
                        Notice.closing(opening.job(), Reason.SITE_UNREACHABLE, cause.getMessage())));
    }

    private void openNow(JobOpen opening) {
        if (socket.isClosed()) {
            return;
        }
        try {
            Job job = relay.core().openJob(opening, this);
            jobs.add(job.id());
            relay.onJobOpened(job);
            ByteBuf opened = socket.allocate(Wire.HEADER_BYTES);
            opened.writeInt(Wire.HEADER_BYTES)
                    .writeByte(FrameType.JOB_OPENED.id())
                    .writeByte(0)
                    .writeShort(0)
                    .writeLong(job.id());
            socket.write(opened);
        } catch (Refusal refusal) {
            socket.close(Notice.closing(opening.job(), refusal.reason(), refusal.getMessage()));
        } catch (JournalFull full) {
            socket.close(Notice.closing(opening.job(), Reason.LOG_FULL, full.getMessage()));
        } catch (LogException broken) {
            socket.close(Notice.closing(opening.job(), Reason.INTERNAL, broken.getMessage()));
        }
    }

    private void close(long job, Notice why) {
        if (jobs.remove(job)) {
            relay.closeJob(job, why);
        }
    }

    @Override
    public void onJobEvent(JobEvent event) {
        relay.onJobEvent(event);
        socket.write(event.encode());
    }

    @Override
    public void onWritable() {
        // Events are few; nothing was held back.
    }

    @Override
    public void onClosed(Notice why) {
        for (long job : Set.copyOf(jobs)) {
            close(job, new Notice(job, STATUS_ORPHANED, -1, "the launcher's connection ended"));
        }
    }

    @Override
    public String toString() {
        return "a launcher";
    }
}
