package org.posthouse.directory;

import java.util.Collection;
import java.util.List;
import java.util.function.LongSupplier;
import org.posthouse.names.MemoryNames;
import org.posthouse.names.NameService;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The directory of relays in one process. They share this object; its creator closes it. Thread-safe: all see a change
 * at once.
 */
public final class MemoryDirectory implements Directory {
    private static final Logger LOG = LoggerFactory.getLogger(MemoryDirectory.class);
    private static final String MEMBER = "memory";

    private final DirectoryView directoryView = new DirectoryView();
    private final MemoryNames names = new MemoryNames();
    private final LongSupplier clock;

    /** Written by the closing thread, read by writers of postings. */
    private volatile boolean closed;

    public MemoryDirectory() {
        this(System::currentTimeMillis);
    }

    MemoryDirectory(LongSupplier clock) {
        this.clock = clock;
    }

    @Override
    public void announce(RelayEntry entry) {
        write(Posting.of(entry, MEMBER, clock.getAsLong()));
    }

    @Override
    public void withdraw(String relay, long epoch) {
        Posting known = directoryView.get(Posting.relayKey(relay));
        write(Posting.withdrawn(relay, epoch, known, MEMBER, clock.getAsLong()));
    }

    @Override
    public List<RelayEntry> relays() {
        return directoryView.relays();
    }

    @Override
    public long epoch(String relay) {
        return directoryView.epoch(relay);
    }

    @Override
    public void putRanks(Collection<RankEntry> ranks) {
        for (RankEntry rank : ranks) {
            write(Posting.of(rank, MEMBER, clock.getAsLong()));
        }
    }

    @Override
    public void removeJob(long job) {
        long now = clock.getAsLong();
        write(Posting.ended(job, MEMBER, now));
        new ExpiredPostings(directoryView, now).aged().forEach(directoryView::drop);
    }

    @Override
    public List<RankEntry> ranks() {
        return directoryView.ranks();
    }

    @Override
    public List<RankEntry> ranks(long job) {
        return directoryView.ranks(job);
    }

    @Override
    public NameService names() {
        return names;
    }

    /** Copies all entries to another directory. */
    void tell(Directory other) {
        for (Posting posting : directoryView.all()) {
            if (posting.endedJob() != null) {
                other.removeJob(posting.endedJob());
            } else if (posting.rank() != null) {
                other.putRanks(List.of(posting.rank()));
            } else if (posting.present()) {
                other.announce(posting.relay());
            } else {
                other.withdraw(posting.relay().relay(), posting.version());
            }
        }
    }

    /** Refuses later writes; reads continue. */
    @Override
    public void close() {
        closed = true;
        names.close();
    }

    private void write(Posting posting) {
        if (closed) {
            LOG.warn("directory is closed: {} at {} dropped", posting.key(), posting.version());
            return;
        }
        directoryView.write(posting);
    }
}
