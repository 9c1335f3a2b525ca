package org.posthouse.cli;

import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import java.util.List;
import org.posthouse.tunnel.GridAuthority;
import org.posthouse.tunnel.KeysException;
import org.posthouse.tunnel.SiteCertificate;

/** The certificates that {@code posthouse keys show --json} prints. */
final class KeysJson {
    private KeysJson() {}

    static String of(GridAuthority authority) throws KeysException {
        ArrayNode list = new ObjectMapper().createArrayNode();
        List<SiteCertificate> issued = authority.issued();
        for (SiteCertificate certificate : issued) {
            list.addObject()
                    .put("site", certificate.site())
                    .put("serial", certificate.serial())
                    .put("notBefore", certificate.notBefore().toString())
                    .put("notAfter", certificate.notAfter().toString())
                    .put("revoked", authority.isRevoked(certificate));
        }
        return list.toString();
    }
}
