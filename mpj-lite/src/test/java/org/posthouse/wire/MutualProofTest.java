package org.posthouse.wire;

import static org.assertj.core.api.Assertions.assertThat;

import java.net.InetSocketAddress;
import java.nio.ByteBuffer;
import java.security.GeneralSecurityException;
import java.security.MessageDigest;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import javax.crypto.Mac;
import javax.crypto.spec.SecretKeySpec;
import org.junit.jupiter.api.Test;

/** What proves a token and what does not; and the digest below it against the JDK's. */
final class MutualProofTest {
    private static final Token TOKEN = new Token(0x0102030405060708L, 0x1112131415161718L);
    private static final Identify RANK = new Identify(Hello.RANK, 7, 3, new Nonce(1, 2));
    private static final Optional<InetSocketAddress> REACHED = Optional.of(new InetSocketAddress("127.0.0.1", 7_411));
    private static final Challenge CHALLENGE = Challenge.of(TOKEN, RANK, new Nonce(3, 4), REACHED);

    private final Random random = new Random(4711);

    @Test
    void theDigestIsTheJdks() throws GeneralSecurityException {
        MessageDigest theirs = MessageDigest.getInstance("SHA-256");
        for (int length = 0; length < 400; length++) {
            byte[] data = new byte[length];
            random.nextBytes(data);
            int cut = random.nextInt(length + 1);
            byte[] ours = new Sha256().update(ByteBuffer.wrap(data, 0, cut)).update(ByteBuffer.wrap(data, cut, length - cut)).digest().array();
            assertThat(ours).as("%s bytes", length).isEqualTo(theirs.digest(data));
        }
    }

    @Test
    void theProofIsTheJdksHmac() throws GeneralSecurityException {
        Mac theirs = Mac.getInstance("HmacSHA256");
        theirs.init(new SecretKeySpec(ByteBuffer.allocate(16).putLong(TOKEN.high()).putLong(TOKEN.low()).array(), "HmacSHA256"));
        theirs.update("posthouse client".getBytes(java.nio.charset.StandardCharsets.US_ASCII));
        theirs.update(RANK.encode());
        theirs.update(CHALLENGE.encode());
        ByteBuffer proof = ByteBuffer.wrap(theirs.doFinal());
        assertThat(MutualProof.ofClient(TOKEN, RANK, CHALLENGE))
                .isEqualTo(new Hmac(proof.getLong(), proof.getLong(), proof.getLong(), proof.getLong()));
    }

    @Test
    void aRelayThatKnowsTheTokenIsBelieved() throws WireException {
        assertThat(MutualProof.isFromRelay(TOKEN, RANK, CHALLENGE)).isTrue();
        assertThat(MutualProof.isFromRelay(TOKEN, RANK, Challenge.decode(CHALLENGE.encode()))).isTrue();
    }

    @Test
    void nothingElseProvesIt() {
        assertThat(MutualProof.isFromRelay(new Token(TOKEN.high(), TOKEN.low() ^ 1), RANK, CHALLENGE)).as("another token").isFalse();
        for (Identify other : List.of(
                new Identify(Hello.RANK, 7, 3, new Nonce(1, 3)), new Identify(Hello.RANK, 7, 2, new Nonce(1, 2)),
                new Identify(Hello.RANK, 8, 3, new Nonce(1, 2)), new Identify(Hello.LAUNCHER, 7, 3, new Nonce(1, 2)))) {
            assertThat(MutualProof.isFromRelay(TOKEN, other, CHALLENGE)).as("%s", other).isFalse();
            assertThat(MutualProof.ofClient(TOKEN, other, CHALLENGE).matches(MutualProof.ofClient(TOKEN, RANK, CHALLENGE))).as("%s", other).isFalse();
        }
        for (Challenge other : List.of(
                new Challenge(new Nonce(3, 5), CHALLENGE.proof(), REACHED), new Challenge(CHALLENGE.nonce(), CHALLENGE.proof(), Optional.empty()),
                new Challenge(CHALLENGE.nonce(), CHALLENGE.proof(), Optional.of(new InetSocketAddress("127.0.0.1", 7_412))))) {
            assertThat(MutualProof.isFromRelay(TOKEN, RANK, other)).as("%s", other).isFalse();
        }
    }

    /** A proof names the certificate of its channel, or that there is none. */
    @Test
    void aProofFitsItsChannelOnly() {
        ChannelBinding here = ChannelBinding.ofCertificate(new byte[] {1, 2, 3});
        ChannelBinding other = ChannelBinding.ofCertificate(new byte[] {1, 2, 4});
        List<ChannelBinding> channels = List.of(ChannelBinding.PLAIN, here, other);
        for (ChannelBinding said : channels) {
            Challenge challenge = Challenge.of(TOKEN, RANK, new Nonce(3, 4), REACHED, false, said);
            for (ChannelBinding channel : channels) {
                boolean same = said.equals(channel);
                assertThat(MutualProof.isFromRelay(TOKEN, RANK, challenge, channel)).as("%s at %s", said, channel).isEqualTo(same);
                assertThat(MutualProof.ofClient(TOKEN, RANK, challenge, said).matches(MutualProof.ofClient(TOKEN, RANK, challenge, channel)))
                        .isEqualTo(same);
            }
        }
    }

    @Test
    void theProofCoversThatOtherHostsNeedTls() throws WireException {
        Challenge needsTls = Challenge.of(TOKEN, RANK, new Nonce(3, 4), REACHED, true, ChannelBinding.PLAIN);
        assertThat(Challenge.decode(needsTls.encode())).isEqualTo(needsTls);
        assertThat(MutualProof.isFromRelay(TOKEN, RANK, needsTls)).isTrue();
        assertThat(MutualProof.isFromRelay(TOKEN, RANK, new Challenge(needsTls.nonce(), needsTls.proof(), REACHED, false))).isFalse();
    }

    /** What a relay has shown does not open it. */
    @Test
    void neitherProofIsTheOther() {
        assertThat(MutualProof.ofClient(TOKEN, RANK, CHALLENGE).matches(CHALLENGE.proof())).isFalse();
    }

    @Test
    void eachRelayAndEachRankHasATokenOfItsOwn() {
        Set<Token> tokens = new HashSet<>(List.of(TOKEN));
        for (String relay : List.of("site-a", "site-a/2", "site-b")) {
            assertThat(tokens.add(TOKEN.ofRelay(relay))).isTrue();
            for (int rank = 0; rank < 100; rank++) {
                assertThat(tokens.add(TOKEN.ofRelay(relay).ofRank(rank))).isTrue();
            }
        }
        JobOpen job = new JobOpen(1, TOKEN, false, "n", List.of(new HomeRelay("a", "a", "h:1"), new HomeRelay("b", "b", "h:2")), new int[] {0, 1});
        assertThat(job.tokenOf(1)).isEqualTo(job.at("b").token().ofRank(1)).isNotEqualTo(job.at("a").token().ofRank(1));
    }

    @Test
    void sealedSecretOpensOnlyWithTheToken() {
        Token secret = new Token(random.nextLong(), random.nextLong());
        Token sealed = MutualProof.sealed(secret, TOKEN, RANK, CHALLENGE);
        assertThat(sealed).isNotEqualTo(secret);
        assertThat(MutualProof.sealed(sealed, TOKEN, RANK, CHALLENGE)).isEqualTo(secret);
        assertThat(MutualProof.sealed(sealed, new Token(9, 9), RANK, CHALLENGE)).isNotEqualTo(secret);
    }

    @Test
    void noncesOfARankDiffer() {
        Set<Nonce> nonces = new HashSet<>();
        for (int count = 0; count < 100; count++) {
            assertThat(nonces.add(Nonce.derived(TOKEN, 5, count))).isTrue();
            assertThat(nonces.add(Nonce.derived(TOKEN.ofRank(1), 5, count))).isTrue();
        }
    }
}
