package org.posthouse.ops.access;

import io.vertx.core.Future;
import io.vertx.core.Vertx;
import io.vertx.core.WorkerExecutor;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.util.Optional;
import java.util.function.LongSupplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Lets users of a console in, and knows their sessions. Confined to the console's event loop.
 *
 * <p>Passwords are verified on one thread of their own, {@link #UNDER_WAY_MAX} waiting at most: a flood of logins takes one processor, and no thread
 * that the relay needs. A name that no user has costs as much time as a wrong password.
 */
public final class Logins {
    /** Logins that wait for the thread, or are there: some seconds of work. */
    static final int UNDER_WAY_MAX = 8;

    /** Who has logged in with the relay's secret. No user of a file can have a name with blanks. */
    private static final Session.Holder SECRET_HOLDER = new Session.Holder("holder of the secret", Role.OPERATOR, Optional.empty());

    private static final Logger LOG = LoggerFactory.getLogger(Logins.class);

    private final Vertx vertx;
    private final Optional<UsersFile> file;
    private final Optional<byte[]> secret;
    private final LoginThrottle throttle;
    private final Sessions sessions;
    private final WorkerExecutor worker;
    private Users users = Users.NONE;
    private FileStamp stamp;
    private String decoy = "";
    private String lastFault = "";
    private int underWay;
    private boolean looking;

    /**
     * A login.
     *
     * @param address where from, for the delay after wrong ones
     * @param peer the user of the process at the other end, as the system tells him
     */
    public record Source(String address, String peer) {}

    /** A session, and the token that opens it. */
    public record Opened(Session session, String token) {}

    /** What was read of the file. */
    private record Loaded(Users users, FileStamp stamp) {}

    private Logins(Vertx vertx, Optional<UsersFile> file, Optional<String> secret, LongSupplier clock) {
        this.vertx = vertx;
        this.file = file;
        this.secret = secret.map(text -> text.getBytes(StandardCharsets.UTF_8));
        this.throttle = new LoginThrottle(clock);
        this.sessions = new Sessions(clock);
        this.worker = vertx.createSharedWorkerExecutor("posthouse-console-login", 1);
    }

    /**
     * Reads the users.
     *
     * @param file empty: only the secret lets in
     * @param clock milliseconds, of any origin
     * @return fails with an {@link IOException} in one line if the file is not good
     */
    public static Future<Logins> open(Vertx vertx, Optional<UsersFile> file, Optional<String> secret, LongSupplier clock) {
        Logins logins = new Logins(vertx, file, secret, clock);
        return file.isEmpty() ? Future.succeededFuture(logins)
                : logins.worker.executeBlocking(() -> load(file.get())).map(logins::use);
    }

    /** Whether there is a file of users. */
    public boolean takesNames() {
        return file.isPresent();
    }

    public boolean takesSecret() {
        return secret.isPresent();
    }

    /** A login by name and password. Fails with {@link LoginRefused}. */
    public Future<Opened> login(String name, String password, Source source) {
        String token = Sessions.token();
        return verified(name, password, source).map(user -> new Opened(sessions.open(token, Session.Holder.of(user), source.peer()), token));
    }

    /** A login with the relay's secret. Fails with {@link LoginRefused}. */
    public Future<Opened> login(String shown, Source source) {
        long wait = throttle.begin(source.address(), SECRET_HOLDER.name());
        if (wait > 0) {
            return slowed(wait);
        }
        if (!isSecret(shown)) {
            return Future.failedFuture(new LoginRefused(LoginRefused.Reason.WRONG, 0, "this is not the relay's secret, the file ops-token in its data folder"));
        }
        throttle.succeeded(source.address(), SECRET_HOLDER.name());
        String token = Sessions.token();
        return Future.succeededFuture(new Opened(sessions.open(token, SECRET_HOLDER, source.peer()), token));
    }

    /** For a client that shows name and password with each request. They are verified once a session. Fails with {@link LoginRefused}. */
    public Future<Session> basic(String name, String password, Source source) {
        String both = name + ':' + password;
        Optional<Session> open = sessions.find(both, source.peer());
        return open.isPresent() ? Future.succeededFuture(open.get())
                : verified(name, password, source).map(user -> sessions.open(both, Session.Holder.of(user), source.peer()));
    }

    /** The session that a cookie's token opens. */
    public Optional<Session> session(String token, String peer) {
        return sessions.find(token, peer);
    }

    /** Whether it is still open; it is used by that. */
    public boolean use(Session session) {
        return sessions.use(session);
    }

    public void logout(Session session) {
        sessions.end(session);
    }

    public boolean isSecret(String shown) {
        return secret.isPresent() && MessageDigest.isEqual(secret.get(), shown.strip().getBytes(StandardCharsets.UTF_8));
    }

    /** Reads the file again if it has changed, and ends the sessions of users that it has no more, or not as they were. Once a second. */
    public void tick() {
        if (file.isEmpty() || looking) {
            return;
        }
        looking = true;
        FileStamp known = stamp;
        worker.executeBlocking(() -> known.equals(file.get().stamp()) ? null : load(file.get())).onComplete((loaded, fault) -> {
            looking = false;
            if (loaded != null) {
                use(loaded);
                LOG.info("the console's users were read again: {} in {}", users.list().size(), file.get());
            } else if (fault != null) {
                keep(fault);
            }
        });
    }

    public void close() {
        worker.close();
    }

    private static Loaded load(UsersFile file) throws IOException {
        FileStamp stamp = file.stamp(); // Before: what is written meanwhile is read next time.
        return new Loaded(file.readSome(), stamp);
    }

    private Logins use(Loaded loaded) {
        users = loaded.users();
        stamp = loaded.stamp();
        decoy = Passwords.decoy(users.iterations());
        sessions.removeIf(session -> session.user().isPresent() && !users.find(session.name()).equals(session.user()));
        lastFault = "";
        return this;
    }

    /** Said once for each fault. */
    private void keep(Throwable fault) {
        String text = String.valueOf(fault.getMessage());
        if (!text.equals(lastFault)) {
            lastFault = text;
            LOG.warn("{}; the console's users stay those that were read before", text);
        }
    }

    private Future<ConsoleUser> verified(String name, String password, Source source) {
        if (underWay >= UNDER_WAY_MAX) {
            return Future.failedFuture(new LoginRefused(LoginRefused.Reason.BUSY, 1, UNDER_WAY_MAX + " logins are under way, the limit; try again"));
        }
        long wait = throttle.begin(source.address(), name);
        if (wait > 0) {
            return slowed(wait);
        }
        underWay++;
        Optional<ConsoleUser> known = users.find(name);
        String hash = known.map(ConsoleUser::hash).orElse(decoy);
        return worker.executeBlocking(() -> Passwords.verify(hash, password), false)
                .onComplete(any -> underWay--)
                .compose(right -> admitted(known, right, name, source));
    }

    /** The file may have changed meanwhile. */
    private Future<ConsoleUser> admitted(Optional<ConsoleUser> known, boolean right, String name, Source source) {
        if (!right || known.isEmpty() || !users.find(name).equals(known)) {
            return Future.failedFuture(new LoginRefused(LoginRefused.Reason.WRONG, 0, "name or password is wrong"));
        }
        throttle.succeeded(source.address(), name);
        return Future.succeededFuture(known.get());
    }

    private static <T> Future<T> slowed(long waitMs) {
        int seconds = (int) ((waitMs + 999) / 1_000);
        return Future.failedFuture(new LoginRefused(LoginRefused.Reason.SLOWED, seconds, "too many logins have failed; try again in " + seconds + " s"));
    }
}
