package org.posthouse.keys;

import java.nio.file.Path;

/** What a relay with links does when the files of its keys have changed, for members without links. */
public final class RevokedNow {
    private RevokedNow() {}

    public static void tell(SiteProof proof, Path folder) throws KeysException {
        SiteKeys keys = SiteKeys.load(folder);
        proof.use(keys, keys.revocations());
    }
}
