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
 * Looks once a second whether the files of a site's keys folder have changed, and loads them if so. Confined to the relay's
 * context; files are touched on a worker.
 *
 * <p>What cannot be loaded leaves the keys in force as they are, and is told, once, if it is still so a second later: who renews a
 * certificate replaces two files one after the other. It is tried again at each look: what was wrong may be a clock, or the owner of the folder.
 */
final class KeyWatch {
    static final int EVERY_MS = 1_000;

    /** No stamp is this. */
    private static final String NEVER = "never";

    private static final Logger LOG = LoggerFactory.getLogger(KeyWatch.class);

    private final ContextInternal context;
    private final Path folder;
    private final Consumer<SiteKeys> onChanged;
    private final Consumer<String> onProblem;
    private ScheduledFuture<?> timer;
    private boolean stopped;

    /** How the files looked when they were loaded; empty while they are of no use. Used by one look at a time. */
    private String settled;

    /** How they looked when they could not be loaded for the first time. */
    private String doubtful = NEVER;

    /** How they looked when that was told. */
    private String told = NEVER;

    /** The last look, and the last list that was to be kept: in their order, so that those before are done with it. */
    private Future<?> looking = Future.succeededFuture();

    private Future<?> keeping = Future.succeededFuture();

    /** @param folder the files that {@code inForce} was loaded from, and not changed since */
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

    /** Done when nothing is read or written any more: whoever was asked to do it tells the loop, which must be there. */
    Future<Void> stop() {
        assert context.nettyEventLoop().inEventLoop();
        stopped = true;
        if (timer != null) {
            timer.cancel(false);
        }
        return Future.join(looking, keeping).transform(any -> Future.succeededFuture());
    }

    /**
     * Keeps the list of {@code authority} that is in force, for the next start: behind those that were told of before, and never in the place of a newer one
     * that was put there since the last look.
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

    /** What cannot be read is of no use to the next start. */
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

    /** What is said of changed keys that are of no use. */
    static String unused(String why) {
        return "the changed keys cannot be used, those loaded before stay in force: " + why;
    }

    /** Returns the changed keys, or null. @throws KeysException if they are of no use, once */
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

    /** How the files look: what changes when one of them does, or the rights to it. */
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
