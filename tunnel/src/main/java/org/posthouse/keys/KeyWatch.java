package org.posthouse.keys;

import io.netty.util.concurrent.ScheduledFuture;
import io.vertx.core.Future;
import io.vertx.core.internal.ContextInternal;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.cert.X509Certificate;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.posthouse.audit.Audit;
import org.posthouse.causes.Causes;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Checks once a second whether the files of a site's keys folder have changed, and loads them if so. Confined to the
 * relay's context; a worker accesses the files.
 *
 * <p>If files cannot be loaded, the keys in force stay. The failure is reported once, if it persists a second later,
 * because a renewal replaces two files one after the other. Each check tries again, because the cause may be a clock or
 * the folder's owner.
 */
final class KeyWatch {
    static final int EVERY_MS = 1_000;

    /** A value that equals no stamp. */
    private static final String NEVER = "never";

    private static final Logger LOG = LoggerFactory.getLogger(KeyWatch.class);

    private final ContextInternal context;
    private final Path folder;
    private final Consumer<SiteKeys> onChanged;
    private final Consumer<String> onProblem;
    private ScheduledFuture<?> timer;
    private boolean stopped;

    /** The stamp of the files when they were loaded; empty while they are unusable. Used by one check at a time. */
    private String settled;

    /** The stamp at the first failure to load the files. */
    private String doubtful = NEVER;

    /** The stamp when the failure was reported. */
    private String told = NEVER;

    /**
     * The last check, and the last write of a list. They run in order, so that earlier ones are complete when these
     * are.
     */
    private Future<?> looking = Future.succeededFuture();

    private Future<?> keeping = Future.succeededFuture();

    /** @param inForce the keys in force; the files they were loaded from are unchanged since */
    KeyWatch(ContextInternal context, SiteKeys inForce, Consumer<SiteKeys> onChanged, Consumer<String> onProblem) {
        this.context = context;
        this.folder = inForce.folder();
        this.settled = inForce.stamp();
        this.onChanged = onChanged;
        this.onProblem = onProblem;
    }

    void start() {
        timer = context.nettyEventLoop().schedule(() -> context.dispatch(this::look), EVERY_MS, TimeUnit.MILLISECONDS);
    }

    /**
     * Stops the checks. Completes when no file is read or written any more. Running tasks report to the event loop,
     * which must still run.
     */
    Future<Void> stop() {
        assert context.nettyEventLoop().inEventLoop();
        stopped = true;
        if (timer != null) {
            timer.cancel(false);
        }
        return Future.join(looking, keeping).transform(any -> Future.succeededFuture());
    }

    /**
     * Writes the list of {@code authority} in force to the folder, for the next start. It is written after earlier
     * lists, and never replaces a newer one that was put there since the last check.
     */
    void keep(RevocationList list, X509Certificate authority) {
        assert context.nettyEventLoop().inEventLoop();
        Path file = folder.resolve(GridAuthority.REVOKED);
        keeping = context.executeBlocking(
                () -> {
                    RevocationList kept = kept(file, authority);
                    if (!kept.isNewerThan(list) && !kept.isSame(list)) {
                        list.write(file);
                    }
                    return list;
                },
                true)
                .onFailure(cause -> onProblem.accept("list " + list.number()
                        + " of revoked certificates is in force, but not kept for the next start: " + cause.getMessage()
                        + "; copy the authority's " + GridAuthority.REVOKED + " to " + file));
    }

    /** The list in the file; an unreadable one is replaced, because the next start cannot use it. */
    private static RevocationList kept(Path file, X509Certificate authority) {
        try {
            return KeyFiles.readRevocations(file, authority);
        } catch (KeysException e) {
            return RevocationList.NONE;
        }
    }

    private void look() {
        assert context.nettyEventLoop().inEventLoop();
        looking = context.executeBlocking(this::load, false).onComplete(looked -> {
            if (stopped) {
                return;
            }
            if (looked.failed()) {
                onProblem.accept(unused(looked.cause().getMessage()));
            } else if (looked.result() != null) {
                LOG.info("keys in {} were changed and are in force: {}", folder, looked.result().certificate());
                Audit.changed("keys", "those in " + folder + " were changed and are in force: " + looked.result().certificate());
                onChanged.accept(looked.result());
            }
            start();
        });
    }

    /** The message about changed keys that are unusable. */
    static String unused(String why) {
        return "the changed keys cannot be used, those loaded before stay in force: " + why;
    }

    /**
     * Returns the changed keys, or null.
     *
     * @throws KeysException if they are unusable, once
     */
    SiteKeys load() throws KeysException {
        String now = "";
        try {
            now = stamp(folder);
            if (now.equals(settled)) {
                return null;
            }
            SiteKeys loaded = SiteKeys.load(folder);
            settled = now;
            told = NEVER;
            return loaded;
        } catch (KeysException e) {
            boolean lasts = now.equals(doubtful);
            doubtful = now;
            if (!lasts || now.equals(told)) {
                return null;
            }
            settled = "";
            told = now;
            throw e;
        }
    }

    /** A stamp that changes when one of the files or its permissions change. */
    static String stamp(Path folder) throws KeysException {
        StringBuilder stamp = new StringBuilder();
        for (String name : GridAuthority.SITE_FILES) {
            Path file = folder.resolve(name);
            try {
                PosixFileAttributes looks = Files.readAttributes(file, PosixFileAttributes.class);
                stamp.append(name)
                        .append(looks.lastModifiedTime())
                        .append(looks.size())
                        .append(looks.fileKey())
                        .append(PosixFilePermissions.toString(looks.permissions()));
            } catch (NoSuchFileException e) {
                stamp.append(name).append('-');
            } catch (IOException e) {
                throw new KeysException("cannot look at " + file + ": " + Causes.text(e), e);
            }
        }
        return stamp.toString();
    }
}
