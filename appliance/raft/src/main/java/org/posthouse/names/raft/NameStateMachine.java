package org.posthouse.names.raft;

import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import java.util.function.Consumer;
import org.apache.ratis.proto.RaftProtos.LogEntryProto;
import org.apache.ratis.protocol.Message;
import org.apache.ratis.protocol.RaftGroupId;
import org.apache.ratis.server.RaftServer;
import org.apache.ratis.server.protocol.TermIndex;
import org.apache.ratis.server.storage.FileInfo;
import org.apache.ratis.server.storage.RaftStorage;
import org.apache.ratis.statemachine.StateMachineStorage;
import org.apache.ratis.statemachine.TransactionContext;
import org.apache.ratis.statemachine.impl.BaseStateMachine;
import org.apache.ratis.statemachine.impl.SimpleStateMachineStorage;
import org.apache.ratis.statemachine.impl.SingleFileSnapshotInfo;
import org.apache.ratis.thirdparty.com.google.protobuf.ByteString;
import org.apache.ratis.thirdparty.com.google.protobuf.UnsafeByteOperations;
import org.apache.ratis.util.LifeCycle;
import org.apache.ratis.util.MD5FileUtil;
import org.posthouse.names.BoundName;
import org.posthouse.names.Name;
import org.posthouse.names.NameChange;
import org.posthouse.names.NameTable;

/**
 * The names of one judge: applies the commands of the log in their order, which is the same at all judges. An empty command changes nothing ({@link
 * ReadBarrier}). Ratis calls it from one thread; questions may come from any.
 */
final class NameStateMachine extends BaseStateMachine {
    /** Most changes that are kept for listeners. */
    static final int CHANGES_MAX = 4_096;

    /** Bytes of one page of a listing, about; the last record may be larger. */
    private static final long PAGE_BYTES_MAX = 1L << 20;

    private final Consumer<Throwable> onLogFailed;
    private final SimpleStateMachineStorage files = new SimpleStateMachineStorage();
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition applied = lock.newCondition();

    /** Guarded by the lock, as is the table. */
    private final ChangeRing ring = new ChangeRing(CHANGES_MAX);
    private final NameTable table = new NameTable(this::changed);

    /** The index of the command that is being applied. Guarded by the lock. */
    private long applying;

    /** @param onLogFailed told when Ratis could not write the log, which it does not try again */
    NameStateMachine(Consumer<Throwable> onLogFailed) {
        this.onLogFailed = onLogFailed;
    }

    @Override
    public void notifyLogFailed(Throwable cause, LogEntryProto entry) {
        onLogFailed.accept(cause);
    }

    @Override
    public void initialize(RaftServer server, RaftGroupId group, RaftStorage storage) throws IOException {
        super.initialize(server, group, storage);
        getLifeCycle().startAndTransition(() -> {
            files.init(storage);
            load();
        }, IOException.class);
    }

    /** A snapshot of the leader is about to be installed. */
    @Override
    public void pause() {
        getLifeCycle().transition(LifeCycle.State.PAUSING);
        getLifeCycle().transition(LifeCycle.State.PAUSED);
    }

    /** It was installed. */
    @Override
    public void reinitialize() throws IOException {
        getLifeCycle().startAndTransition(this::load, IOException.class);
    }

    private void load() throws IOException {
        SingleFileSnapshotInfo latest = files.loadLatestSnapshot();
        lock.lock();
        try {
            if (latest != null) {
                Snapshot.read(latest.getFile().getPath(), table);
                setLastAppliedTermIndex(latest.getTermIndex());
                ring.reset(latest.getIndex());
            }
            applied.signalAll();
        } finally {
            lock.unlock();
        }
    }

    @Override
    public StateMachineStorage getStateMachineStorage() {
        return files;
    }

    @Override
    public long takeSnapshot() throws IOException {
        TermIndex last = getLastAppliedTermIndex();
        if (last.getIndex() < 0) {
            return last.getIndex();
        }
        Path file = files.getSnapshotFile(last.getTerm(), last.getIndex()).toPath();
        lock.lock();
        try {
            Snapshot.write(file, table);
        } finally {
            lock.unlock();
        }
        FileInfo info = new FileInfo(file, MD5FileUtil.computeAndSaveMd5ForFile(file.toFile()));
        files.updateLatestSnapshot(new SingleFileSnapshotInfo(info, last.getTerm(), last.getIndex()));
        return last.getIndex();
    }

    @Override
    public CompletableFuture<Message> applyTransaction(TransactionContext transaction) {
        LogEntryProto entry = transaction.getLogEntry();
        ByteString command = entry.getStateMachineLogEntry().getLogData();
        try {
            byte[] answer = command.isEmpty() ? new byte[0] : apply(entry.getIndex(), NameCommand.read(new ByteReader(command.asReadOnlyByteBuffer())));
            applied(entry.getTerm(), entry.getIndex());
            return CompletableFuture.completedFuture(Message.valueOf(UnsafeByteOperations.unsafeWrap(answer)));
        } catch (MalformedException e) {
            // The leader has read it before it was appended: the log is damaged, or another version wrote it. Ratis stops the judge.
            throw new IllegalStateException("entry " + entry.getIndex() + " of the log is no command: " + e.getMessage(), e);
        }
    }

    private byte[] apply(long index, NameCommand command) {
        lock.lock();
        try {
            applying = index;
            return command.applyTo(table);
        } finally {
            lock.unlock();
        }
    }

    private void changed(NameChange change) {
        ring.add(applying, change);
    }

    @Override
    public void notifyTermIndexUpdated(long term, long index) {
        applied(term, index);
    }

    private void applied(long term, long index) {
        updateLastAppliedTermIndex(term, index);
        lock.lock();
        try {
            ring.applied(index);
            applied.signalAll();
        } finally {
            lock.unlock();
        }
    }

    Optional<BoundName> lookup(Name name) {
        lock.lock();
        try {
            return table.lookup(name);
        } finally {
            lock.unlock();
        }
    }

    /** A page of what is bound below a prefix: fewer than the limit if they are large, one at least if there is any. */
    List<BoundName> list(Name prefix, int limit, Optional<Name> after) {
        lock.lock();
        try {
            List<BoundName> page = new ArrayList<>();
            long bytes = 0;
            for (BoundName each : table.list(prefix, limit, after)) {
                page.add(each);
                bytes += new ByteWriter().bound(each).size();
                if (bytes >= PAGE_BYTES_MAX) {
                    break;
                }
            }
            return page;
        } finally {
            lock.unlock();
        }
    }

    /** Waits for changes behind an index while a condition holds. Blocks for at most the given time; the page may be empty. */
    ChangePage awaitChanges(long since, long millis, BooleanSupplier condition) throws InterruptedException {
        lock.lockInterruptibly();
        try {
            long left = TimeUnit.MILLISECONDS.toNanos(millis);
            ChangePage page = ring.page(since);
            while (!page.isGap() && page.changes().isEmpty() && left > 0 && condition.getAsBoolean()) {
                left = applied.awaitNanos(left);
                page = ring.page(since);
            }
            return page;
        } finally {
            lock.unlock();
        }
    }
}
