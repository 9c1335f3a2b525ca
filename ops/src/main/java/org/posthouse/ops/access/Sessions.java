package org.posthouse.ops.access;

import java.nio.charset.StandardCharsets;
import java.security.GeneralSecurityException;
import java.util.Base64;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;

/**
 * The sessions that are open, by a hash of what opens them with a key of this process: a dump of its memory has no cookie. Confined to the console's
 * event loop.
 *
 * <p>Bound: {@link #OF_USER_MAX} for each of {@link Users#USERS_MAX} users; a further login of a user ends the oldest session of his, and of nobody
 * else.
 */
final class Sessions {
    /** A session that is not used for so long is over. An open live stream uses it. */
    static final long IDLE_MS = 3_600_000;

    /** A session is over after so long in any case. */
    static final long WHOLE_MS = 12 * 3_600_000L;

    static final int OF_USER_MAX = 32;

    private static final int TOKEN_BYTES = 32;
    private static final String MAC = "HmacSHA256";

    private final LongSupplier clock;
    private final SecretKeySpec key = new SecretKeySpec(Passwords.random(TOKEN_BYTES).getBytes(StandardCharsets.US_ASCII), MAC);

    /** The oldest first. */
    private final Map<String, Session> byHash = new LinkedHashMap<>();

    /** @param clock milliseconds, of any origin */
    Sessions(LongSupplier clock) {
        this.clock = clock;
    }

    /** A token that nobody can guess, for a cookie. */
    static String token() {
        return Passwords.random(TOKEN_BYTES).replace('+', '-').replace('/', '_');
    }

    /** @param secret what opens it from now on: a token, or the header with the password */
    Session open(String secret, Session.Holder holder, String peer) {
        removeIf(session -> session.isOver(clock.getAsLong()));
        long own = byHash.values().stream().filter(session -> session.name().equals(holder.name())).count();
        if (own >= OF_USER_MAX) {
            endOldestOf(holder.name());
        }
        Session session = new Session(holder, peer, clock.getAsLong());
        byHash.put(hash(secret), session);
        return session;
    }

    /** A session that is open, which is used by that. */
    Optional<Session> find(String secret, String peer) {
        return Optional.ofNullable(byHash.get(hash(secret))).filter(session -> session.isOf(peer)).filter(this::use);
    }

    /** Whether it is still open; it is used by that. */
    boolean use(Session session) {
        long now = clock.getAsLong();
        if (session.isOver(now)) {
            return false;
        }
        session.used(now);
        return true;
    }

    void end(Session session) {
        removeIf(session::equals);
    }

    /** Ends sessions. */
    void removeIf(Predicate<Session> over) {
        byHash.values().removeIf(session -> {
            boolean ends = over.test(session);
            if (ends) {
                session.end();
            }
            return ends;
        });
    }

    int open() {
        return byHash.size();
    }

    private void endOldestOf(String name) {
        Iterator<Session> oldest = byHash.values().iterator();
        while (oldest.hasNext()) {
            Session session = oldest.next();
            if (session.name().equals(name)) {
                session.end();
                oldest.remove();
                return;
            }
        }
    }

    private String hash(String secret) {
        try {
            Mac mac = Mac.getInstance(MAC);
            mac.init(key);
            return Base64.getEncoder().encodeToString(mac.doFinal(secret.getBytes(StandardCharsets.UTF_8)));
        } catch (GeneralSecurityException e) {
            throw new IllegalStateException("every Java runtime has " + MAC, e);
        }
    }
}
