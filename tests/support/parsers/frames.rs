//! Frames of the element's socket: whatever comes, it is refused for its reason, or it is exactly the frame of what it means.

use talaria_media_frames::{BadRequest, Grant, MAGIC, MAX_READ, Op, Reply, Request, VERSION};

/// The input as a request, as a reply, and as a grant's name.
pub fn socket_frames(input: &[u8]) {
    if let Some(frame) = input.first_chunk() {
        request(frame);
    }
    if let Some(frame) = input.first_chunk::<{ Reply::BYTES }>()
        && let Ok(reply) = Reply::decode(frame)
    {
        assert_eq!(reply.encode(), *frame);
        assert!(reply.length <= MAX_READ && u64::from(reply.length) <= reply.size, "{reply:?}");
    }
    if let Some(grant) = std::str::from_utf8(input).ok().and_then(Grant::from_hex) {
        assert_eq!(&grant.hex()[..], input);
    }
}

fn request(frame: &[u8; Request::BYTES]) {
    let is_ours = frame[..4] == MAGIC && frame[4] == VERSION;
    match Request::decode(frame) {
        Ok(request) => {
            assert!(is_ours);
            assert_eq!(request.encode(), *frame);
            if let Op::Read { length, .. } = request.op {
                assert!(length <= MAX_READ, "{length}");
            }
        }
        Err(BadRequest::Foreign) => assert!(!is_ours, "{frame:?}"),
        Err(BadRequest::Malformed) => assert!(is_ours, "{frame:?}"),
    }
}
